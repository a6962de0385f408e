const paths = {
  live: 'M3 12h4l3-8 4 16 3-8h4',
  subject: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.500 6.500 0 0 0 0 13Zm5-1.500L21 21',
  blocks:
    'M12 3 4.500 6v6c0 4.500 3.200 7.600 7.500 9 4.300-1.400 7.500-4.500 7.500-9V6L12 3Zm-3 6.500 6 6m0-6-6 6',
  limits: 'M4 20a8 8 0 1 1 16 0M12 20l4-7M4 20h16',
  health: 'M4 6h16v5H4zM4 13h16v5H4zM7.500 8.500h.01M7.500 15.500h.01',
  audit: 'M6 3h9l4 4v14H6zM9.500 9h6M9.500 13h6M9.500 17h4',
  replay: 'M4 12a8 8 0 1 0 2.500-5.800M4 4v4.500h4.500M11 9l4 3-4 3Z',
  alert: 'M12 3.500 2.500 20h19L12 3.500Zm0 6v5m0 2.800h.01',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm0-10v5.500m0-9h.01',
  sun: 'M12 16.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9ZM12 2v2m0 16v2M2 12h2m16 0h2M5 5l1.400 1.400m11.200 11.200L19 19M5 19l1.400-1.400M17.600 6.400 19 5',
  moon: 'M20 14.500A8.500 8.500 0 1 1 9.500 4a7 7 0 0 0 10.500 10.500Z',
  auto: 'M12 21a9 9 0 1 0 0-18v18Z M12 3a9 9 0 0 0 0 18',
  leave: 'M14 4h5v16h-5M4 12h10m-3.500-4L14 12l-3.500 4',
  help: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm-2.500-11.300a2.600 2.600 0 1 1 3.800 2.300c-.9.500-1.300 1-1.300 2m0 2.700h.01',
  pause: 'M8.500 5v14m7-14v14',
  play: 'M8 5l11 7-11 7Z',
  allow: 'M5 12.500 10 17.500 19.500 7',
  soft: 'M12 5v9m0 4h.01',
  hard: 'M6.500 6.500l11 11m0-11-11 11',
  close: 'M6 6l12 12M18 6 6 18',
  pin: 'M9 3h6l-1 7 3.500 3.500h-11L10 10 9 3Zm3 10.500V21',
} as const;

export type IconName = keyof typeof paths;

/** A drawing beside a word, never in its place: it is hidden from screen readers. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}

/** The mark of the project. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <path d="M6 28V13a10 10 0 0 1 20 0v15M11 6.500V30M16 4.500V30M21 6.500V30M6 14h20M6 21.500h20" />
    </svg>
  );
}
