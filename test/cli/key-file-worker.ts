import { newKeyFile, writeKeyFile } from '../../src/config/key-file.ts';

/** `node key-file-worker.js FILE`: writes a key file, and sends what the system says against it. */
try {
  writeKeyFile(process.argv[2] ?? '', newKeyFile());
  process.send?.(null);
} catch (cause) {
  const { code, path } = cause as NodeJS.ErrnoException;
  process.send?.({ code, path });
}
