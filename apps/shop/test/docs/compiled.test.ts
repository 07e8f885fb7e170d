/**
 * Compiles every block of TypeScript in the documents with the project's settings. A whole module
 * is compiled alone. A fragment is put in place of the ▢ in the code of the comment before it.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { program, removeFolder } from 'bindery-server/test'
import { packOnce } from '../../../../release/pack-once.ts'
import { type Block, blocksOf, noteOf, readDocuments, root } from './documents.ts'
import { copyProject } from './shell-session.ts'

type Compiled = { readonly document: string; readonly block: Block; readonly before: number }

const place = '▢'

/**
 * The module that a block is, or that its comment makes of it, and how many lines of it come before
 * the block.
 */
function moduleOf(block: Block): { text: string; before: number } {
  const context = noteOf(block, 'compiled in')?.text
  if (context === undefined) return { text: `${block.text}\n`, before: 0 }
  const [head = ''] = context.split(place)
  return { text: `${context.replace(place, () => block.text)}\n`, before: head.split('\n').length - 1 }
}

const languages = ['ts', 'js', 'console', 'sh', 'json', 'text', 'env', 'yaml', 'sql']

/** The tutorial and some guides begin with what `npm create` makes. */
function makeApplication(folder: string, name: string): void {
  const args = ['init', name, '--kind', 'users', '--yes', '--no-install', '--engine', '^0.1.0']
  const made = spawnSync(process.execPath, [program, ...args], { cwd: folder, encoding: 'utf8' })
  assert.equal(made.status, 0, made.stderr)
}

/** The types that the client's document begins with. */
function makeTypes(folder: string): void {
  const made = spawnSync(process.execPath, [program, 'types'], { cwd: folder, encoding: 'utf8' })
  assert.equal(made.status, 0, made.stderr)
  writeFileSync(join(folder, 'api.ts'), made.stdout)
}

test('every block says its language', () => {
  const wrong = readDocuments().flatMap((document) =>
    blocksOf(document)
      .filter(({ language }) => !languages.includes(language))
      .map(({ line, language }) => `${document.file}:${line}: \`${language}\` is none of ${languages.join(', ')}`),
  )
  assert.deepEqual(wrong, [])
})

test('curl is told that brackets in an address are no pattern of its own', () => {
  const bracketed = /\bcurl\b(?<options>[^|]*?) ['"]?https?:[^'" ]*\[/
  const wrong = readDocuments().flatMap((document) =>
    blocksOf(document)
      .filter(({ language }) => language === 'sh' || language === 'console')
      .flatMap(({ line, text }) =>
        text.split('\n').flatMap((command, i) => {
          const options = bracketed.exec(command)?.groups?.options
          return options === undefined || / (?:-\w*g|--globoff)/.test(options)
            ? []
            : [`${document.file}:${line + i}: ${command}`]
        }),
      ),
  )
  assert.deepEqual(wrong, [])
})

test('every block of TypeScript compiles', async () => {
  const folder = copyProject()
  const { modules: packages } = await packOnce()
  try {
    // Against the published types: the engine's own sources are compiled by `npm run check`
    rmSync(join(folder, 'node_modules'))
    symlinkSync(packages, join(folder, 'node_modules'))
    for (const name of ['library', 'my-app']) makeApplication(folder, name)
    makeTypes(folder)
    const modules = new Map<string, Compiled>()
    for (const { file: document, ...rest } of readDocuments()) {
      for (const block of blocksOf({ file: document, ...rest }).filter(({ language }) => language === 'ts')) {
        const file = noteOf(block, 'saved as')?.text ?? `blocks/${document.replace(/\W/g, '-')}-${block.line}.ts`
        const { text, before } = moduleOf(block)
        mkdirSync(dirname(join(folder, file)), { recursive: true })
        writeFileSync(join(folder, file), text)
        modules.set(file, { document, block, before })
      }
    }
    assert.ok(modules.size > 5)
    const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [...modules.keys()] }))
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const { stdout } = spawnSync(process.execPath, [compiler, '--pretty', 'false', '--singleThreaded', '-p', folder], {
      encoding: 'utf8',
      cwd: folder,
    })
    const wrong = stdout
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [, file = '', at, problem] = /^([^(]+)\((\d+),\d+\): error (.*)$/.exec(line) ?? []
        const found = modules.get(file)
        return found ? `${found.document}:${found.block.line + Number(at) - 1 - found.before}: ${problem}` : line
      })
    assert.deepEqual(wrong, [])
  } finally {
    removeFolder(folder)
  }
})
