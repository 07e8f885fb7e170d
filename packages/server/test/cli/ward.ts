/**
 * A small application for tests of `bindery doctor`, with references, counted ids, indexes and
 * users; and a database with records of each.
 */
import { examine } from '../../src/cli/doctor/doctor.ts'
import { makeOutput } from '../../src/command/output.ts'
import { readConfig } from '../../src/config.ts'
import { anyone, boolean, defineResource, id, integerId, reference, text } from '../../src/index.ts'
import type { DeclaredResource } from '../../src/resource/define.ts'
import type { Finding } from '../../src/storage/finding.ts'
import { keys, people } from '../service/people.ts'

export const racks = defineResource({
  name: 'rack',
  path: '/racks',
  fields: { id: id(), name: text({ required: true, unique: true }) },
  list: { style: 'page' },
  access: { list: anyone, get: anyone, create: anyone, update: anyone, delete: anyone },
})

export const volumes = defineResource({
  name: 'volume',
  path: '/volumes',
  fields: {
    id: integerId(),
    rackId: reference('rack', { onDelete: 'delete' }),
    title: text({ required: true }),
    lent: boolean({ default: false }),
  },
  list: { style: 'page', sortable: ['title'], search: ['title'] },
  access: { list: anyone, get: anyone, create: anyone, update: anyone, delete: anyone },
})

export const ward: readonly DeclaredResource[] = [racks, volumes, ...people, keys]

/** The same application, a version later. */
export const laterWard: readonly DeclaredResource[] = [
  racks,
  defineResource({
    name: 'volume',
    path: '/volumes',
    fields: {
      id: integerId(),
      rackId: reference('rack', { onDelete: 'delete' }),
      title: text({ required: true }),
      lent: boolean({ default: false }),
      colour: text(),
    },
    list: { style: 'page', sortable: ['title'], search: ['title'] },
    access: { list: anyone, get: anyone, create: anyone, update: anyone, delete: anyone },
  }),
  ...people,
  keys,
]

type Examined = {
  readonly env: Readonly<Record<string, string>>
  readonly deep?: boolean
  readonly nowMs?: number
  readonly declarations?: readonly DeclaredResource[]
}

/** The findings of `bindery doctor` there. */
export function findingsOf({
  env,
  deep = false,
  nowMs = Date.now(),
  declarations = ward,
}: Examined): Promise<readonly Finding[]> {
  const cli = { output: makeOutput({ json: true, debug: false }), loadDeclarations: async () => declarations }
  return examine(cli, { deep, nowMs, config: readConfig(env) })
}

export function textOf({ level, check, where, what, todo = '' }: Finding): string {
  return `${level} ${check} | ${where} | ${what} | ${todo}`
}
