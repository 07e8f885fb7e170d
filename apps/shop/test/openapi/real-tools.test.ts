/**
 * Runs external tools on the OpenAPI document, as their users do: a Postman collection, sent as it
 * is; types by openapi-typescript, compiled; tools for models. It takes a minute and installs 300
 * packages, so `npm run test:long` runs it. `examples.test.ts` checks the same without them.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { makeAsk, removeFolder, spawnServer, temporaryFolder } from 'bindery-server/test'
import { demoPassword, rootEmail } from '../../demo/seed.ts'
import { installTools } from '../helpers/tool-folder.ts'

const skip = process.env.TEST_LONG === undefined && 'npm run test:long runs it'
const shop = fileURLToPath(new URL('../..', import.meta.url))
const file = fileURLToPath(new URL('../../openapi.json', import.meta.url))
const tools = [
  'openapi-to-postmanv2@6.3.3',
  'newman@6.2.2',
  'openapi-typescript@7.13.0',
  'typescript@5.9.3',
  'openapi-mcp-generator@4.0.1',
  '@modelcontextprotocol/sdk@1.32.2',
  'json-schema-to-zod@2.6.1',
  'zod@3.25.76',
  'gpt-tokenizer@4.0.0',
]

const generators = ['@hey-api/openapi-ts@0.84.0', 'orval@7.11.2', 'typescript@5.9.3']

/** A front-end reads lists, records and headers without a cast. */
const reader = `import type { paths } from './api.d.ts'
type Answer = paths['/api/v1/products']['get']['responses']['200']['content']['application/json']
type Product = paths['/api/v1/products/{id}']['get']['responses']['200']['content']['application/json']
type Books = paths['/api/v1/books']['get']['responses']['200']['content']['application/json']
type Headers = NonNullable<paths['/api/v1/products/{id}']['patch']['parameters']['header']>
export const headers: Headers = { 'If-Match': '"1"', 'Idempotency-Key': 'a' }
export function read(answer: Answer): [price: number, total: number, next: boolean] {
  const [first] = answer.data
  return [first?.price ?? 0, answer.meta.total, answer.meta.hasNextPage]
}
export function show(product: Product): string {
  return product.name.toUpperCase() + product.price.toFixed(2) + (product.category ?? '').trim()
}
export function titles(books: Books): string[] {
  return books.data.map((book) => book.title + books.count.toFixed())
}
`

/** The same by the clients that hey-api and orval make. */
const heyReader = `import { getProduct, listProducts, updateProduct } from './hey/index.ts'
export async function read(): Promise<string[]> {
  const { data: page } = await listProducts({ query: { limit: 5, sort: ['-price'] } })
  const { data: one } = await getProduct({ path: { id: 'x' } })
  const headers = { 'If-Match': '"1"', 'Idempotency-Key': 'k' }
  await updateProduct({ path: { id: 'x' }, body: { price: 3 }, headers })
  const names = page?.data.map((product) => product.name + product.price.toFixed(2)) ?? []
  const total: number = page?.meta.total ?? 0
  return [...names, String(total), one?.name.toUpperCase() ?? '', one?.category?.trim() ?? '']
}
`
const orvalReader = `import { getProduct, listProducts, updateProduct } from './orval/api.ts'
export async function read(): Promise<string[]> {
  const page = await listProducts({ limit: 5, sort: ['-price'] })
  const one = await getProduct('x')
  if (page.status !== 200 || one.status !== 200) throw new Error('refused')
  await updateProduct('x', { price: 3 }, { headers: { 'If-Match': '"1"', 'Idempotency-Key': 'k' } })
  const names = page.data.data.map((product) => product.name + product.price.toFixed(2))
  const total: number = page.data.meta.total
  return [...names, String(total), one.data.name.toUpperCase(), one.data.category?.trim() ?? '']
}
`

type Execution = {
  readonly request: { readonly method: string; readonly url: { toString(): string } }
  readonly response?: { readonly code: number; text(): string }
}
type Callback<T> = (error: unknown, result: T) => void

describe('programs of others', { skip }, () => {
  let load: NodeJS.Require
  let folder = ''
  before(() => {
    ;({ load, folder } = installTools('bindery-client-tools', tools))
  })

  it("are sent no 400 by Postman's collection, as it is, from the demo, as it is", async (t) => {
    const dataDir = temporaryFolder()
    const demo = spawnServer({ command: ['demo/main.ts'], cwd: shop, env: { DATA_DIR: dataDir } })
    t.after(async () => {
      await demo.stop()
      removeFolder(dataDir)
    })
    const url = await demo.ready()
    const { body: session } = await makeAsk(url)('POST', '/auth/login', {
      body: { email: rootEmail, password: demoPassword },
    })
    const data = await (await fetch(`${url}/openapi.json`)).text()
    const options = { parametersResolution: 'Example', requestParametersResolution: 'Example', folderStrategy: 'Tags' }
    type Converted = { readonly result: boolean; readonly output: readonly [{ readonly data: object }] }
    const converted = await new Promise<Converted>((resolve, reject) => {
      const done: Callback<Converted> = (error, result) => (error ? reject(error) : resolve(result))
      load('openapi-to-postmanv2').convert({ type: 'string', data }, options, done)
    })
    const collection = converted.output[0].data
    const envVar = [
      { key: 'baseUrl', value: url },
      { key: 'bearerToken', value: session.accessToken },
    ]
    const { run } = await new Promise<{ run: { executions: readonly Execution[] } }>((resolve, reject) => {
      load('newman').run({ collection, envVar }, ((error, result) =>
        error ? reject(error) : resolve(result)) as Callback<{ run: { executions: readonly Execution[] } }>)
    })
    const statusOf = ({ response }: Execution) => response?.code ?? 500
    assert.ok(run.executions.length > 100)
    assert.ok(run.executions.filter((one) => statusOf(one) < 300).length > 40)
    assert.deepEqual(
      run.executions
        .filter((one) => statusOf(one) === 400 || statusOf(one) >= 500)
        .map(({ request, response }) => `${request.method} ${request.url} ${response?.code} ${response?.text()}`),
      [],
    )
  })

  it('read a list without a cast, by types of openapi-typescript under strict TypeScript', (t) => {
    const work = mkdtempSync(join(folder, 'types-'))
    t.after(() => rmSync(work, { recursive: true }))
    const node = (script: string, ...args: string[]) =>
      execFileSync(process.execPath, [join(folder, 'node_modules', script), ...args], { cwd: work, encoding: 'utf8' })
    node('openapi-typescript/bin/cli.js', file, '-o', join(work, 'api.d.ts'))
    writeFileSync(join(work, 'read.ts'), reader)
    const strict = [
      '--strict',
      '--noUncheckedIndexedAccess',
      '--exactOptionalPropertyTypes',
      '--allowImportingTsExtensions',
    ]
    node('typescript/bin/tsc', '--noEmit', ...strict, '--module', 'nodenext', join(work, 'read.ts'))
  })

  it('make clients that compile under strict TypeScript: hey-api and orval', (t) => {
    const { folder } = installTools('bindery-client-generators', generators)
    const work = mkdtempSync(join(folder, 'clients-'))
    t.after(() => rmSync(work, { recursive: true }))
    const node = (script: string, ...args: string[]) =>
      execFileSync(process.execPath, [join(folder, 'node_modules', script), ...args], { cwd: work, encoding: 'utf8' })
    node('@hey-api/openapi-ts/bin/index.cjs', '-i', file, '-o', 'hey', '-c', '@hey-api/client-fetch')
    node('orval/dist/bin/orval.js', '--input', file, '--output', 'orval/api.ts', '--client', 'fetch')
    writeFileSync(join(work, 'hey-reader.ts'), heyReader)
    writeFileSync(join(work, 'orval-reader.ts'), orvalReader)
    const strict = ['--strict', '--skipLibCheck', '--module', 'esnext', '--moduleResolution', 'bundler']
    strict.push('--noUncheckedIndexedAccess', '--allowImportingTsExtensions')
    const libraries = ['--target', 'es2022', '--lib', 'es2022,dom,dom.iterable']
    node('typescript/bin/tsc', '--noEmit', ...strict, ...libraries, 'hey-reader.ts', 'orval-reader.ts')
  })

  it('hand a model tools of less than 17,000 tokens, by names that every provider takes', async () => {
    const { getToolsFromOpenApi } = await import(pathToFileURL(load.resolve('openapi-mcp-generator')).href)
    const { encode } = load('gpt-tokenizer')
    type Made = { readonly name: string; readonly description: string; readonly inputSchema: { properties?: object } }
    const made: readonly Made[] = await getToolsFromOpenApi(file, { dereference: true })
    const handed = made.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
    assert.ok(handed.length > 80)
    assert.ok(encode(JSON.stringify(handed)).length < 17_000, `${encode(JSON.stringify(handed)).length} tokens`)
    const names = handed.flatMap(({ name, inputSchema }) => [name, ...Object.keys(inputSchema.properties ?? {})])
    assert.deepEqual(
      names.filter((name) => !/^[A-Za-z0-9_.-]{1,64}$/.test(name)),
      [],
    )
  })
})
