/**
 * Makes the files of a new application: templates with their blanks filled in, and its
 * package.json.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fits } from './node-version.ts'
import { type TemplateKind, templateKinds } from './template-kinds.ts'

export type NewProject = {
  readonly kind: TemplateKind
  /** The name of its package. */
  readonly name: string
  /** The source of `bindery-server`: a range of versions, or another specifier of npm. */
  readonly engine: string
  /** The name of the packed file in `engine`, where that is a file in the application's folder. */
  readonly engineFile: string | undefined
  /** The version of the Node that creates it. */
  readonly node: string
}

/** A build puts all templates beside the code; the shop's template is made from the shop. */
const templates = ['../templates', '../../templates']
  .map((path) => join(import.meta.dirname, path))
  .find((path) => existsSync(path)) as string

/** npm leaves files with these names out of packages. */
const dotted: Readonly<Record<string, string>> = {
  _gitignore: '.gitignore',
  _dockerignore: '.dockerignore',
  '_env.example': '.env.example',
}

/**
 * Settings that save some 130 MB on a server with data (docs/how-to/operate-start.md). `exec`
 * replaces the shell, which would not pass signals on.
 */
const lean =
  'MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=131072 NODE_OPTIONS="--max-semi-space-size=8 --v8-pool-size=0 $NODE_OPTIONS" exec'

function manifestOf({ kind, name, engine, node }: NewProject): string {
  const bringsNode = !fits(node)
  const manifest = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    ...(kind === 'shop' && { bindery: { app: './resources/index.ts' } }),
    scripts: {
      dev: `${lean} bindery dev`,
      start: `${lean} bindery start`,
      ...(kind === 'shop' && { demo: `${lean} node demo/main.ts` }),
      test: 'node --test "test/**/*.test.ts"',
      check: 'bindery check',
    },
    dependencies: { 'bindery-server': engine },
    devDependencies: { '@types/node': '^24.0.0', ...(bringsNode && { node: '^24.15.0' }), typescript: '^7.0.2' },
    ...(bringsNode && { allowScripts: { node: true } }),
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

/** `nameOf('/home/ann/My App')` → `my-app` */
export function nameOf(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|-+$/g, '')
  return name === '' ? 'my-app' : name
}

/** A Docker build copies the file before it installs, and the README explains it. */
function nameEngineFile(files: Map<string, string>, name: string): void {
  const manifests = 'COPY package.json package-lock.json '
  files.set('Dockerfile', (files.get('Dockerfile') as string).replace(manifests, `${manifests}${name} `))
  const about = `- \`${name}\` is Bindery itself, packed from a clone of its repository. It belongs to the application: keep it beside \`package.json\`.\n`
  files.set('README.md', `${files.get('README.md')}${about}`)
}

/** All files of the project, by path. */
export function filesOf(project: NewProject): ReadonlyMap<string, string> {
  const { about, layers } = templateKinds[project.kind]
  const files = new Map<string, string>()
  for (const layer of layers) {
    const folder = join(templates, layer)
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const file = join(entry.parentPath, entry.name)
      const path = join(dirname(file.slice(folder.length + 1)), dotted[entry.name] ?? entry.name)
      files.set(path, readFileSync(file, 'utf8'))
    }
  }
  const app = project.kind === 'shop' ? 'resources/index.ts' : 'app.ts'
  const blanks: Readonly<Record<string, string>> = {
    name: project.name,
    about,
    app,
    who: (files.get('who.md') ?? '').trim(),
  }
  files.delete('who.md')
  if (project.engineFile) nameEngineFile(files, project.engineFile)
  const readme = files.get('README.md') as string
  files.set(
    'README.md',
    readme.replace(/\{\{(\w+)\}\}/g, (_, blank: string) => blanks[blank] ?? ''),
  )
  return files.set('package.json', manifestOf(project))
}
