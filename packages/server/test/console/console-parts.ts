/**
 * Parts of the console for tests without a browser: bundled as its build does it, and run in Node.
 * `T`: what they export, in the words of the test.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const source = join(import.meta.dirname, '../../../console/src')

/** The page that the parts ask for when they are loaded. */
const page = `const nothing = { querySelector: () => null, addEventListener() {}, documentElement: { dataset: {} } };
globalThis.document ??= { ...nothing, baseURI: 'http://localhost/console' };
globalThis.location ??= new URL('http://localhost/console');
globalThis.addEventListener ??= () => undefined;
Object.defineProperty(globalThis, 'localStorage', { value: { getItem: () => null }, configurable: true });
Object.defineProperty(globalThis, 'sessionStorage', { value: { getItem: () => null }, configurable: true });
Object.defineProperty(globalThis, 'navigator', { value: { language: 'en-US', platform: '' }, configurable: true });`

export async function loadConsoleParts<T>(paths: readonly string[]): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'console-parts-'))
  try {
    const { outputFiles } = await build({
      stdin: { contents: paths.map((path) => `export * from './${path}'`).join('\n'), resolveDir: source },
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'node',
      jsx: 'automatic',
      banner: { js: page },
      logLevel: 'error',
    })
    const file = join(folder, 'parts.mjs')
    writeFileSync(file, outputFiles[0]?.text ?? '')
    return (await import(pathToFileURL(file).href)) as T
  } finally {
    rmSync(folder, { recursive: true })
  }
}
