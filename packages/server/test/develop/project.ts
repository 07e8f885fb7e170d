/**
 * Writes a small application into a folder of its own, with the engine as it is published and this
 * repository's compiler.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort, removeFolder, temporaryFolder } from 'bindery-server/test'
import { packOnce } from '../../../../release/pack-once.ts'

/** The tsconfig of a created application. */
const tsconfig = fileURLToPath(new URL('../../templates/base/tsconfig.json', import.meta.url))

export const app = `import { cups } from './cups.ts'

export const resources = [cups]
`
export const cups = `import { anyone, defineResource, id, integer, text } from 'bindery-server'

export const cups = defineResource({
  name: 'cup',
  path: '/cups',
  fields: {
    id: id(),
    glaze: text({ required: true }),
    volume: integer(),
  },
  list: { style: 'page', sortable: ['glaze'], defaultSort: 'glaze' },
  access: { list: anyone, get: anyone, create: anyone },
})
`

export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string }
export type Project = {
  readonly folder: string
  readonly address: string
  write(file: string, text: string): void
  run(...args: readonly string[]): Promise<Ran>
  /** A process that goes on; \`said()\` is what it wrote so far, to both streams. */
  begin(...args: readonly string[]): { readonly child: ChildProcess; said(): string }
  remove(): void
}

export async function makeProject(): Promise<Project> {
  const { modules } = await packOnce()
  const program = join(modules, 'bindery-server/dist/bindery.js')
  const folder = realpathSync(temporaryFolder())
  const port = await freePort()
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true })
  for (const name of ['typescript', 'bindery-server', '@types/node', 'undici-types'])
    symlinkSync(realpathSync(join(modules, name)), join(folder, 'node_modules', name))
  write('package.json', JSON.stringify({ name: 'cups', type: 'module' }))
  copyFileSync(tsconfig, join(folder, 'tsconfig.json'))
  write('app.ts', app)
  write('cups.ts', cups)

  function begin(...args: readonly string[]) {
    const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
    const child = spawn(process.execPath, [program, ...args], {
      cwd: folder,
      env: { PATH, HOME, NODE_COMPILE_CACHE, PORT: String(port), DATABASE_URL: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text
      })
    return { child, said: () => said }
  }
  function run(...args: readonly string[]): Promise<Ran> {
    const { child } = begin(...args)
    let [stdout, stderr] = ['', '']
    child.stdout?.on('data', (text: string) => {
      stdout += text
    })
    child.stderr?.on('data', (text: string) => {
      stderr += text
    })
    return new Promise((resolve) => {
      child.on('close', (code) => resolve({ code, stdout, stderr }))
    })
  }
  return { folder, address: `http://127.0.0.1:${port}`, write, run, begin, remove: () => removeFolder(folder) }
}
