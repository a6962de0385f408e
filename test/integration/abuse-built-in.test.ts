import { describe, expect, it } from 'vitest';
import { builtInScenarios } from '../../src/abuse/index.ts';
import { MINUTE_MS } from '../../src/core/duration.ts';
import {
  agents,
  headerOrders,
  judge,
  judgeLog,
  merged,
  randomOf,
  series,
  start,
  type Timed,
} from './abuse-traffic.ts';

const attacker = '192.0.2.66';
const network = (index: number) => `${1 + (index % 220)}.${(index * 7) % 256}.${(index * 13) % 256}.9`;

/** What scanners ask for, as they are found in every log. */
const probes = [
  '/.env',
  '/.git/config',
  '/wp-login.php',
  '/wp-admin/setup-config.php',
  '/xmlrpc.php',
  '/phpmyadmin/index.php',
  '/admin.php',
  '/backup.zip',
  '/server-status',
  '/actuator/env',
  '/solr/admin/info/system?wt=json',
  '/vendor/phpunit/phpunit/src/Util/PHP/eval-stdin.php',
  '/cgi-bin/luci/;stok=/locale?form=country',
  '/HNAP1/',
  '/boaform/admin/formLogin',
  '/owa/auth/logon.aspx',
  '/.aws/credentials',
  '/config.json',
  '/telescope/requests',
  '/debug/default/view?panel=config',
];
const probe = (index: number) => {
  const path = probes[index % probes.length] ?? '/';
  return index < probes.length ? path : `/${index}${path}`;
};

/** What an application ignores, in front of what it reads. */
const padding = `pad=${'x'.repeat(4_000)}`;

describe('what an attack looks like in a log', () => {
  it.each([
    ['path-scan', series(400, 100, (i) => ({ ip: attacker, ua: agents.nikto, path: probe(i), status: 404 }))],
    [
      'scraping',
      series(2_400, 400, (i) => ({ ip: attacker, ua: agents.python, path: `/products/shoe-${i}` })),
    ],
    [
      'scraping',
      series(2_400, 400, (i) => ({ ip: attacker, ua: agents.python, path: `/items?${padding}&id=${i}` })),
    ],
    [
      'invalid-input',
      series(400, 200, (i) => ({
        ip: attacker,
        ua: agents.curl,
        method: 'POST',
        path: `/api/orders?try=${i}`,
        status: i % 2 === 0 ? 400 : 422,
      })),
    ],
    [
      'id-guessing',
      series(300, 500, (i) => ({
        ip: attacker,
        ua: agents.python,
        path: `/api/invoices/${7_000 + i}`,
        status: i % 40 === 39 ? 200 : 404,
      })),
    ],
    [
      'failing-writes',
      series(200, 500, () => ({
        ip: attacker,
        ua: agents.python,
        method: 'PUT',
        path: '/create',
        status: 409,
      })),
    ],
    [
      'deep-pagination',
      series(600, 1_000, (i) => ({
        ip: attacker,
        ua: agents.python,
        path: `/list?page=${150 + i}&size=100`,
      })),
    ],
    [
      'deep-pagination',
      series(600, 1_000, (i) => ({
        ip: attacker,
        ua: agents.python,
        path: `/list?${padding}&page=${150 + i}`,
      })),
    ],
    [
      'deep-pagination',
      series(600, 1_000, (i) => ({
        ip: attacker,
        ua: agents.python,
        path: `/search?from=${2_000 + 100 * i}`,
      })),
    ],
    [
      'deep-pagination',
      series(900, 500, (i) => ({ ip: attacker, ua: agents.python, path: `/api/feed?cursor=c${i}xk` })),
    ],
    [
      'deep-pagination',
      series(3_000, 100, () => ({ ip: attacker, ua: agents.chrome, path: '/api/tasks?offset=0&limit=20' })),
    ],
  ])('%s: degraded first, then blocked', (scenario, traffic) => {
    const { findings } = judgeLog(traffic);
    const own = findings.filter((finding) => finding.scenario === scenario);
    expect(own.slice(0, 2).map(({ what }) => what)).toEqual(['degraded', 'blocked']);
  });

  it.each(['page[number]', 'page%5Boffset%5D', '$skip'])(
    'deep-pagination: also where lists are walked by %s, as JSON:API and OData name it',
    (name) => {
      const traffic = series(600, 1_000, (i) => ({
        ip: attacker,
        ua: agents.python,
        path: `/list?${name}=${2_000 + 100 * i}`,
      }));
      const [first] = judgeLog(traffic).findings;
      expect(first).toMatchObject({ scenario: 'deep-pagination', what: 'degraded' });
    },
  );

  it('path-scan: also with another agent on every request', () => {
    const traffic = series(900, 100, (i) => ({
      ip: attacker,
      ua: `Mozilla/5.0 Chrome/${i % 150}.0 Safari/537.36`,
      path: probe(i),
      status: 404,
    }));
    const [first] = judgeLog(traffic).findings;
    expect(first).toMatchObject({ scenario: 'path-scan', what: 'degraded', key: 'network' });
  });
});

describe('what an attack looks like where headers are seen', () => {
  it('rotating-ips: one program from everywhere at a high joint rate', () => {
    const traffic = series(6_000, 25, (i) => ({
      ip: network(i),
      ua: agents.python,
      headerNames: headerOrders.python,
      path: `/api/search?q=${i % 50}`,
    }));
    const { findings } = judge(traffic);
    expect(findings[0]).toMatchObject({ scenario: 'rotating-ips', what: 'degraded', key: 'fingerprint' });
    expect(findings[1]).toMatchObject({ scenario: 'rotating-ips', what: 'blocked', key: 'fingerprint' });
  });

  it.each([
    ['the /64s of one IPv6 /48', (i: number) => `2001:db8:7:${(i % 500).toString(16)}::1`],
    ['the addresses of one IPv4 /24', (i: number) => `203.0.113.${i % 250}`],
  ])('rotating-ips: one program from %s', (_, ip) => {
    const traffic = series(12_000, 10, (i) => ({
      ip: ip(i),
      ua: agents.python,
      headerNames: headerOrders.python,
      path: `/api/search?q=${i % 50}`,
    }));
    const { findings } = judge(traffic);
    expect(findings.slice(0, 2).map(({ scenario, what }) => `${scenario} ${what}`)).toEqual([
      'rotating-ips degraded',
      'rotating-ips blocked',
    ]);
  });

  it('header-twins: one program that says to be many browsers', () => {
    const traffic = series(600, 500, (i) => ({
      ip: network(i * 3),
      ua: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/${90 + (i % 30)}.0.0.0 Safari/537.36`,
      headerNames: headerOrders.go,
      path: `/pricing?c=${i % 7}`,
    }));
    const { findings } = judge(traffic);
    expect(findings.map(({ scenario, what }) => `${scenario} ${what}`).slice(0, 2)).toEqual([
      'header-twins degraded',
      'header-twins blocked',
    ]);
  });

  it('those are blind in a log, and say so', () => {
    const traffic = series(50, 25, (i) => ({ ip: network(i), ua: agents.python }));
    const { scenarios } = judgeLog(traffic).run.counts();
    expect(scenarios['rotating-ips']?.blind).toBe(50);
    expect(scenarios['header-twins']?.blind).toBe(50);
    expect(scenarios['path-scan']?.blind).toBe(0);
  });
});

describe('who must not be taken for an attack', () => {
  const random = randomOf(7);
  /** As people choose: few pages by many, many by few. */
  const popular = (pages: number) => Math.floor(pages ** random());

  it('an office behind one address, all with the same browser', () => {
    const traffic = series(6_000, 400, (i) => ({
      ip: '198.51.100.1',
      path: i % 90 === 0 ? `/old/page-${popular(40)}` : `/articles/${popular(4_000)}`,
      status: i % 90 === 0 ? 404 : 200,
    }));
    expect(judgeLog(traffic).told).toEqual([]);
  });

  it('a carrier that puts thousands behind one address', () => {
    const browsers = [agents.chrome, agents.safari, agents.safari.replace('17.1', '16.6'), agents.firefox];
    const traffic = series(8_000, 200, (i) => {
      const kind = random();
      const ua = browsers[Math.floor(random() * browsers.length)] ?? agents.safari;
      if (kind < 0.01) return { ip: '100.64.3.7', ua, path: `/missing/${popular(60)}`, status: 404 };
      if (kind < 0.02) return { ip: '100.64.3.7', ua, method: 'POST', path: '/api/form', status: 422 };
      if (kind < 0.06) return { ip: '100.64.3.7', ua, method: 'POST', path: '/api/cart', status: 201 };
      return {
        ip: '100.64.3.7',
        ua,
        path: i % 5 === 0 ? `/list?page=${1 + popular(9)}` : `/p/${popular(9_000)}`,
      };
    });
    expect(judgeLog(traffic).told).toEqual([]);
  });

  it('a search engine that reads one page a second and finds some of them gone', () => {
    const traffic = series(3_600, 1_000, (i) => ({
      ip: '66.249.66.1',
      ua: agents.googlebot,
      headerNames: headerOrders.googlebot,
      path: i % 12 === 0 ? `/discontinued/${i}` : `/products/item-${i}`,
      status: i % 12 === 0 ? 404 : 200,
    }));
    expect(judge(traffic).told).toEqual([]);
  });

  it('a search engine with a hundred addresses and a high joint rate', () => {
    const traffic = series(8_000, 40, (i) => ({
      ip: `66.249.${64 + (i % 16)}.${i % 100}`,
      ua: agents.googlebot,
      headerNames: headerOrders.googlebot,
      path: `/products/item-${i}`,
    }));
    expect(judge(traffic).told).toEqual([]);
  });

  it('a crowd of ordinary browsers, which all send the same headers', () => {
    const traffic = series(6_000, 10, (i) => ({
      ip: network(i),
      headerNames: headerOrders.chrome,
      path: `/launch?from=${i % 3}`,
    }));
    expect(judge(traffic).told).toEqual([]);
  });

  it('somebody who types into a form that checks itself', () => {
    const typing = [0, 1, 2, 3].flatMap((form) =>
      series(
        60,
        350,
        () => ({ method: 'POST', path: '/api/signup/check', status: 422 }),
        start + form * MINUTE_MS,
      ),
    );
    const sending = series(
      4,
      MINUTE_MS,
      () => ({ method: 'POST', path: '/api/signup', status: 201 }),
      start + 30_000,
    );
    expect(judgeLog(merged(typing, sending)).told).toEqual([]);
  });

  it('somebody who scrolls a feed without end', () => {
    const traffic = series(400, 2_500, (i) => ({ user: 'u1', path: `/api/feed?cursor=${i}abc` }));
    expect(judge(traffic).told).toEqual([]);
  });

  it('a page that asks every two seconds whether there is something new', () => {
    const traffic = series(3_000, 2_000, () => ({ user: 'u1', path: '/api/inbox?page=1' }));
    expect(judge(traffic).told).toEqual([]);
  });

  it.each([
    ['seconds', (at: number) => Math.floor(at / 1_000)],
    ['milliseconds', (at: number) => at],
  ])('a page that asks every two seconds what has happened since a time in %s', (_, timeOf) => {
    const traffic = series(3_000, 2_000, (i) => ({
      user: 'u1',
      path: `/api/events?${i % 2 === 0 ? 'from' : 'start'}=${timeOf(start + i * 2_000)}`,
    }));
    expect(judge(traffic).told).toEqual([]);
  });

  it('somebody with an old list of links, who tries them one by one', () => {
    const traffic = series(60, 15_000, (i) => ({ path: `/orders/${1_000 + i}`, status: 404 }));
    expect(judgeLog(traffic).told).toEqual([]);
  });

  it('people after a release that has replaced the files of all pages', () => {
    const traffic = series(2_000, 150, (i) => ({
      ip: '198.51.100.1',
      path: `/assets/chunk-${(i * 31) % 400}.js`,
      status: 404,
    }));
    expect(judgeLog(traffic).told).toEqual([]);
  });

  it('a search engine that reads a blog, or a reader of a forum, whose posts have numbers', () => {
    const engine = series(800, 1_000, (i) => ({ path: `/?p=${1_000 + i}`, ua: agents.googlebot }));
    const reader = series(400, 8_000, (i) => ({ path: `/viewtopic.php?p=${10_000 + i}` }));
    expect(judgeLog(engine).told).toEqual([]);
    expect(judgeLog(reader).told).toEqual([]);
  });

  it('a search engine that reads fast from the many addresses of one range', () => {
    const engine = series(30_000, 40, (i) => ({
      ip: `66.249.${64 + (Math.floor(i / 250) % 8)}.${i % 250}`,
      ua: agents.googlebot,
      headerNames: headerOrders.python,
      path: `/articles/${i % 300}`,
    }));
    expect(judge(engine).told.filter((told) => told.includes('rotating-ips'))).toEqual([]);
  });

  it('clients of a service that is broken, or whose limit is reached', () => {
    const broken = series(2_000, 100, (i) => ({
      method: 'POST',
      path: `/api/${i}`,
      status: i % 2 === 0 ? 503 : 429,
    }));
    expect(judgeLog(broken).told).toEqual([]);
  });
});

it('each built-in scenario has an attack above', () => {
  expect(builtInScenarios.map(({ name }) => name).sort()).toEqual([
    'deep-pagination',
    'failing-writes',
    'header-twins',
    'id-guessing',
    'invalid-input',
    'path-scan',
    'rotating-ips',
    'scraping',
  ]);
});

/** Kept beside the others for whoever changes a number: attackers among people do not make people trip. */
it('an attacker in an office is found, and another browser of the office is not', () => {
  const random = randomOf(11);
  const office: Timed[] = series(2_000, 500, () => ({
    ip: '198.51.100.1',
    ua: agents.firefox,
    path: `/articles/${Math.floor(500 ** random())}`,
  }));
  const scan = series(300, 1_000, (i) => ({
    ip: '198.51.100.1',
    ua: agents.nikto,
    path: probe(i),
    status: 404,
  }));
  const { findings, run } = judgeLog(merged(office, scan));
  expect(findings.map(({ scenario }) => scenario)).toContain('path-scan');
  const later = start + 40_000;
  const firefox = { method: 'GET', path: '/', ip: '198.51.100.1', ua: agents.firefox };
  expect(run.standing(firefox, later)).toEqual({ refillScale: 1, delayMs: 0, refusedForMs: 0 });
});
