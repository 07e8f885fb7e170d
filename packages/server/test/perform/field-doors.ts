/**
 * The table of doors through which the test of fields looks, or the reason why it need not. A door
 * without a row does not compile, nor does a row without a door.
 */
import { type ClientDoors, doorsIn, type RouteDoors } from '../helpers/door-table.ts'
import { clientDoors, consoleDoors } from './field-client-doors.ts'
import { type Door, requestDoors } from './field-request-doors.ts'

type RequestDoor = keyof typeof requestDoors | keyof typeof clientDoors
type FieldDoor = RequestDoor | keyof typeof consoleDoors

const written = '(writes of fields: field-rule-writes.test.ts)'
const asked = '(filters and sorts: the other test of field-rules.test.ts)'
const noCards = '(shows no cards)'

const table: RouteDoors<FieldDoor> & ClientDoors<FieldDoor> = {
  operations: {
    list: 'list',
    get: 'get',
    export: 'export',
    import: 'import',
    create: written,
    replace: written,
    update: written,
    delete: written,
  },
  forms: {
    summarizes: asked,
    compares: '(versions, whose fields the rules of the record show: record/differences.test.ts)',
    many: written,
    upserts: written,
    key: '(the record of a get; a record that hides the field is not found: record/slug-lookups.test.ts)',
    isSelf: noCards,
    branch: '(a list, of records that are a tree: relations/trees.test.ts)',
    trash: '(trash.test.ts)',
    isInTrash: '(trash.test.ts)',
    endsForGood: '(trash.test.ts)',
  },
  groups: {
    graphql: 'GraphQL list',
    mcp: 'tool list',
    batch: 'batch',
    changes: '(shows what lists show, of resources that keep changes: events/)',
    live: '(shows what lists and the feed show: events/live/)',
    permissions: '(names fields, and shows no values)',
    resources: '(names fields, and shows no values)',
    uploads: '(a field that the caller may not read is unknown: files/tus.test.ts)',
    endpoints: '(code of the application: code/caller-records.test.ts)',
    auth: noCards,
    recovery: noCards,
    factors: noCards,
    oidc: noCards,
    erasure: noCards,
    keys: noCards,
    accountPages: noCards,
    pages: noCards,
    console: noCards,
    viewAs: '(a credential, which the rules judge as that of a caller)',
    consoleCode: noCards,
    scalars: noCards,
    documents: noCards,
    status: noCards,
    jobs: noCards,
    operate: noCards,
    health: noCards,
  },
  parameters: {
    fields: 'selected fields',
    expand: 'expanded children',
    filter: asked,
    sort: asked,
    q: asked,
    page: '(a part of the list)',
    idCursor: '(a part of the list)',
    limit: '(a part of the list)',
    cursor: '(a part of the list)',
    credential: '(a credential)',
    _explain: '(compared values of hidden fields: explained-refusals.test.ts)',
    _sign: '(addresses of files that the read shows: files/proof.test.ts)',
  },
  tools: {
    list: 'tool list',
    get: 'tool get',
    create: written,
    update: written,
    upsert: written,
    delete: written,
    act: written,
  },
  reactAdmin: {
    getList: 'react-admin getList',
    getOne: 'react-admin getOne',
    getMany: 'react-admin getMany',
    getManyReference: 'react-admin getManyReference',
    create: written,
    update: written,
    updateMany: written,
    delete: written,
    deleteMany: written,
    act: written,
    supportAbortSignal: '(no method)',
  },
  refine: {
    getList: 'Refine getList',
    getOne: 'Refine getOne',
    getMany: 'Refine getMany',
    custom: 'Refine custom',
    getApiUrl: '(an address)',
    create: written,
    createMany: written,
    update: written,
    updateMany: written,
    deleteOne: written,
    deleteMany: written,
  },
  files: {
    'export csv': 'export csv',
    'export ndjson': 'export ndjson',
    'import csv': 'import csv',
    'import ndjson': 'import ndjson',
  },
}

/** The doors of the table, and those that are further ways through one of them. */
export const doorNames: readonly RequestDoor[] = [
  ...new Set([...doorsIn<FieldDoor>(table), ...(Object.keys(requestDoors) as RequestDoor[])]),
].filter((name): name is RequestDoor => !Object.hasOwn(consoleDoors, name))

export function doorOf(name: RequestDoor): Door {
  return { ...requestDoors, ...clientDoors }[name]
}
