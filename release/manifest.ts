/**
 * The package.json of a published package, made from the one in the repository. There, `exports`
 * and `bin` name sources, so that everything runs without a build. The published one names the
 * built files.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeRange } from '../packages/server/src/create/node-version.ts'

type Manifest = Readonly<Record<string, unknown>> & {
  readonly name: string
  /** A source, or what is published as it stands. */
  readonly exports?: Readonly<Record<string, string | object>>
  readonly bin?: Readonly<Record<string, string>>
}

/** `built('./src/index.ts', '.d.ts')` → `./dist/index.d.ts` */
function built(path: string, ending: '.js' | '.d.ts'): string {
  return path.replace('./src/', './dist/').replace(/\.ts$/, ending)
}

const atHomeOnly = ['private', 'scripts', 'devDependencies']

export function publishedManifest(manifest: Manifest): Manifest {
  const kept = Object.entries(manifest).filter(([key]) => !atHomeOnly.includes(key))
  const { exports, bin } = manifest
  return {
    ...(Object.fromEntries(kept) as Manifest),
    ...(exports && {
      // In the repository npm would compare it with the Node that npm runs on, and everything here
      // runs on the one that it installs.
      engines: { node: nodeRange },
      exports: {
        ...Object.fromEntries(
          Object.entries(exports).map(([entry, path]) => [
            entry,
            typeof path === 'string' ? { types: built(path, '.d.ts'), default: built(path, '.js') } : path,
          ]),
        ),
        './package.json': './package.json',
      } as never,
    }),
    ...(bin && { bin: Object.fromEntries(Object.entries(bin).map(([name, path]) => [name, built(path, '.js')])) }),
  }
}

if (import.meta.main) {
  const manifest = JSON.parse(readFileSync(join(process.argv[2] as string, 'package.json'), 'utf8'))
  process.stdout.write(`${JSON.stringify(publishedManifest(manifest), null, 2)}\n`)
}
