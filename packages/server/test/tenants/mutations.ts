/**
 * Conditions without which one tenant learns of another. Each is taken away alone, and the proof
 * must find it.
 */
import assert from 'node:assert/strict'

/** `found`: the request whose answers differ, as the proof prints it. It goes through that door. */
export type Mutation = {
  readonly name: string
  readonly file: string
  readonly from: string
  readonly to: string
  readonly found: RegExp
}

/** The source without the condition. Throws where the source does not have it exactly once. */
export function mutated({ file, from, to }: Mutation, source: string): string {
  assert.equal(source.split(from).length, 2, `${file} does not have once: ${from}`)
  return source.replace(from, () => to)
}

export const mutations: readonly Mutation[] = [
  {
    name: 'rules are bounded',
    file: 'resource/tenancy/in-tenant.ts',
    from: 'both(scope.type.where(scope, asked), rule.type.where(rule, asked))',
    to: 'rule.type.where(rule, asked)',
    found: /("path":"|\\"name\\":\\"get\\",\\"arguments\\":\{\\"path\\":\\")[^"]*0002-7000/,
  },
  {
    name: 'the way to a tenant exists for the caller',
    file: 'record/references/tenant-of-record.ts',
    from: '[equal(target.idField, id), bounds?.referable(target), where]',
    to: '[equal(target.idField, id), where]',
    found:
      /("body":"\{|\\"name\\":\\"create\\",\\"arguments\\":\{\\"path\\":\\"[^"]*\\",\\"values\\":\{)\\"(teamId|eventId)\\":\\"01926e0f-0002-7000/,
  },
  {
    name: 'unique keys hold within a tenant',
    file: 'resource/tenancy/scope-resource.ts',
    from: 'key.includes(own) ? key : [own, ...key]',
    to: 'key',
    found: /"method":"(POST|PUT)","path":"[^"]*","body":"\{|mutation/,
  },
  {
    name: 'numbers count in each tenant',
    file: 'record/counts/count-numbers.ts',
    from: 'isPerTenant(field) ? (row[own] as Scalar) : null',
    to: 'isPerTenant(field) ? null : null',
    found: /event/,
  },
  {
    name: 'records above in the path exist',
    file: 'policy/tenants/above-in-path.ts',
    from: '? always : existingRecords(context, principal, step)',
    to: '? always : always',
    found: /"path":"[^"]*\/01926e0f-0002-7000[^"/]*\/\w+/,
  },
  {
    name: 'lists',
    file: 'perform/read/read.ts',
    from: 'const where = all(above, operation.query.where, read)',
    to: 'const where = all(above, operation.query.where)',
    found: /"method":"(GET|QUERY)"|query/,
  },
  {
    name: 'single records',
    file: 'perform/read/read.ts',
    from: 'const where = all(await whereOf(storage, permitted), read)',
    to: 'const where = await whereOf(storage, permitted)',
    found: /("method":"GET","path":"|\\"name\\":\\"get\\",\\"arguments\\":\{\\"path\\":\\")[^"]*\/01926e0f-0002-7000/,
  },
  {
    name: 'summaries',
    file: 'perform/read/summarize.ts',
    from: 'where: all(above, operation.where, read),',
    to: 'where: all(above, operation.where),',
    found: /\/summary[?"]/,
  },
  {
    name: 'lines of imports',
    file: 'perform/imports/store-line.ts',
    from: 'all(where, read), { test: write }',
    to: 'where, { test: write }',
    found: /\/import","body":"[^\n]*01926e0f-0002-7000/,
  },
  {
    name: 'records to write',
    file: 'perform/write.ts',
    from: 'const where = all(await whereOf(tx, permitted), read)',
    to: 'const where = await whereOf(tx, permitted)',
    found: /"method":"(PUT|PATCH|DELETE)","path":"[^"]*0002-7000|(mutation|tools\/call)[^\n]*0002-7000/,
  },
  {
    name: 'writes by a filter',
    file: 'perform/write-many.ts',
    from: 'const where = all(read, many.where)',
    to: 'const where = many.where',
    // A write of the other tenant may also reach a record of the own one, which is read next.
    found: /"method":"(PATCH|DELETE)","path":"\/api\/v1\/[\w-]+\?|"path":"[^"]*0001-7000/,
  },
  {
    name: 'the key of cached responses',
    file: 'response-cache/cache-scope.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
    from: "return where.kind === 'true' ? fields : `${fields} ${jsonText(where)}`",
    to: 'return fields',
    found: /"method":"(GET|QUERY)"/,
  },
]
