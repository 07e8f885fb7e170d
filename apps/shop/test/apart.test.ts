/**
 * The shop is one application among others. It imports only the engine's public entries, and the
 * engine never imports it.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { resources } from '../resources/index.ts'

const shop = join(import.meta.dirname, '..')
const root = join(shop, '../..')
const engine = dirname(fileURLToPath(import.meta.resolve('bindery-server')))
const isOpen = (name: string) =>
  name.startsWith('node:') ||
  /^bindery-server(\/|$)/.test(name) || // Node refuses what is no public entry
  [...devPackages].some((one) => name === one || name.startsWith(`${one}/`))
const devPackages = new Set(
  Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies as object),
)

/** The scripts that pack the engine as users install it, and those that build the site. */
const outside = /^[./]+\/(?:release|site)\//

/** Static imports, re-exports, and dynamic imports. */
const imported = /^(?:import|export)\s[^'"`;=]*'([^']+)'$|\bimport\('([^']+)'\)/gm

test('it imports what a user could import, and its own files', () => {
  const wrong = globSync('**/*.ts', { cwd: shop }).flatMap((file) => {
    const found = readFileSync(join(shop, file), 'utf8').matchAll(imported)
    return [...found]
      .map(([, from, called]) => (from ?? called) as string)
      .filter((name) => !outside.test(name))
      .filter((name) =>
        name.startsWith('.') ? relative(shop, join(shop, dirname(file), name)).startsWith('..') : !isOpen(name),
      )
      .map((name) => `${file} imports ${name}`)
  })
  assert.deepEqual(wrong, [])
})

test('the engine knows none of its resources by name', () => {
  // Words that have another meaning in the engine: kinds of principals, errors, methods, sorting.
  const common = new Set(['user', 'users', 'message', 'messages', 'post', 'order'])
  // Everything that accounts makes is the engine's own.
  const own = resources.filter(({ writtenIn }) => !writtenIn.endsWith('/index.ts'))
  const names = own.flatMap(({ name, path }) => [name, `${name}s`, path ?? name]).filter((name) => !common.has(name))
  const commentless = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
  const found = globSync('**/*.ts', { cwd: engine }).flatMap((file) => {
    const text = commentless(readFileSync(join(engine, file), 'utf8'))
    return names.filter((name) => new RegExp(`['"\`]${name}['"\`]`).test(text)).map((name) => `${file}: ${name}`)
  })
  assert.deepEqual(found, [])
})
