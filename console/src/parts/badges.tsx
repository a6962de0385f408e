import { outcomeWord, scopeWord } from '../format/words.ts';
import { Icon, type IconName } from './icons.tsx';

const tones: Readonly<Record<string, { readonly tone: string; readonly icon: IconName }>> = {
  ALLOW: { tone: 'allow', icon: 'allow' },
  SOFT_BLOCK: { tone: 'soft', icon: 'soft' },
  HARD_BLOCK: { tone: 'hard', icon: 'hard' },
};

/** An outcome: colour, sign and word, so that no one of them has to be seen. */
export function OutcomeBadge({ outcome, level }: { readonly outcome: string; readonly level?: number }) {
  const { tone, icon } = tones[outcome] ?? { tone: 'plain', icon: 'info' as const };
  return (
    <span class={`badge ${tone}`}>
      <Icon name={icon} />
      {outcomeWord(outcome)}
      {level ? <span class="badge-level">L{level}</span> : null}
    </span>
  );
}

/** A key kind: its meaning and its short name. */
export function ScopeTag({ scope }: { readonly scope: string | null }) {
  if (scope === null) return <span class="faint">–</span>;
  return (
    <span class="scope">
      {scopeWord(scope)} <code>{scope}</code>
    </span>
  );
}

export function ModeBadge({ mode }: { readonly mode: string }) {
  const isNormal = mode === 'NORMAL';
  return (
    <span class={`badge ${isNormal ? 'allow' : 'hard'}`}>
      <Icon name={isNormal ? 'allow' : 'alert'} />
      {mode}
    </span>
  );
}
