/**
 * The types of an application with links, children in bodies, and exact numbers, as `bindery types`
 * prints them. The test of the typed client compiles requests with them.
 */
import {
  accounts,
  anyone,
  bigint,
  choice,
  decimal,
  defineAction,
  defineJob,
  defineResource,
  defineResources,
  id,
  integer,
  manyToMany,
  reference,
  text,
} from '../../src/index.ts'
import { makeOpenapi } from '../../src/openapi/make-openapi.ts'
import { printTypes } from '../../src/openapi/print-types.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { engineRoutes } from '../../src/service/engine-routes.ts'

const tags = defineResource({
  name: 'tag',
  path: '/tags',
  fields: { id: id(), name: text({ required: true, maxLength: 50 }), weight: integer({ default: 0 }) },
  list: { style: 'page' },
  access: { read: anyone, create: anyone },
})

/** The wear of a machine, which takes long to measure. */
const measure = defineJob({
  name: 'measure',
  input: { machine: text({ required: true }) },
  output: { wear: integer({ required: true }) },
  run: () => ({ wear: 1 }),
})

const machines = defineResource({
  name: 'machine',
  path: '/machines',
  fields: {
    id: id(),
    name: text({ required: true, maxLength: 50 }),
    dailyRate: decimal({ precision: 8, scale: 2 }),
    turns: bigint(),
    seats: integer({ default: 1 }),
    grade: choice(['1', '2']),
    tags: manyToMany('tag', { max: 5 }),
    drivers: manyToMany('driver', { fields: { role: choice(['LEAD', 'SPARE'], { default: 'LEAD' }) } }),
  },
  list: { style: 'page', sortable: ['name'] },
  history: { keep: 5 },
  children: { parts: { resource: 'part', by: 'machineId', inBody: true } },
  access: { read: anyone, create: anyone, update: anyone, replace: anyone, measure: anyone },
  actions: {
    measure: defineAction({ id: id() }, { job: { add: measure, input: ({ record }) => ({ machine: record.id }) } }),
  },
})

const drivers = defineResource({
  name: 'driver',
  path: '/drivers',
  fields: { id: id(), name: text({ required: true, maxLength: 50 }) },
  list: { style: 'page' },
  access: { read: anyone },
})

const parts = defineResource({
  name: 'part',
  path: '/parts',
  fields: {
    id: id(),
    machineId: reference('machine', { required: true, onDelete: 'delete' }),
    label: text({ required: true, maxLength: 50 }),
    size: integer({ default: 0 }),
  },
  list: { style: 'page' },
  access: { read: anyone, create: anyone, update: anyone, delete: anyone },
})

/** `api.ts` of the application. */
export function typesOfMachines(): string {
  const resources = [
    ...defineResources([tags, machines, drivers, parts, ...accounts({ roles: ['USER', 'ADMIN'] })]),
    measure,
  ]
  const ground = { catalog: makeCatalog(resources), settings: { currency: 'USD', signUp: 'open' } as const }
  return printTypes(makeOpenapi(ground.catalog, ground.settings, engineRoutes(ground)))
}
