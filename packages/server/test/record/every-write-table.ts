/**
 * The steps that each path of a write must perform: one cell for each path and step. A path or a
 * step without its cells does not compile.
 */
import type { Operation } from '../../src/operation/operation.ts'
import type { PathName } from './every-write-paths.ts'

/** An operation of the engine that writes and has no path here does not compile either. */
type WriteKind = Exclude<Operation['kind'], 'get' | 'list' | 'summary' | 'difference' | 'export'>
export const pathsOf: Readonly<Record<WriteKind, readonly PathName[]>> = {
  create: ['create', 'upsertNew', 'batchCreate', 'singleMade', 'graphqlCreate', 'commandCreate'],
  replace: ['replace', 'upsertKnown', 'graphqlReplace'],
  update: ['update', 'bulkUpdate', 'batchUpdate', 'singleChanged', 'graphqlUpdate', 'commandUpdate'],
  delete: ['delete', 'bulkDelete', 'batchDelete', 'cascade', 'cleared', 'graphqlDelete', 'commandRemove'],
  import: ['importNew', 'importKnown', 'commandImportNew', 'commandImportKnown'],
  act: ['action', 'move'],
}

/** Each is seen by a probe of its name in `every-write.test.ts`. */
export const steps = [
  'guarded',
  'hooks',
  'prepare',
  'before',
  'checks',
  'recordChecks',
  'hash',
  'scope',
  'result',
  'proof',
  'sessions',
  'audit',
  'touch',
  'follow',
  'version',
  'log',
  'effects',
  'files',
  'keyed',
] as const
export type Step = (typeof steps)[number]

/** A text: why the step does not apply. */
export type Cell = true | { readonly not: string }
export type Row = Readonly<Record<Step, Cell>>

const happens = true
const not = (reason: string): Cell => ({ not: reason })

const unasked = not('a hook prepares only the write that a caller asks for')
const given = not('an operator vouches for the address, or it is the one of before')
const made = not('the record is new, so nothing rests on it yet')
const unsent = not('no values are sent')
const decided = not('the rule of the operation has decided, and the declaration says what is stored')
const operator = not('the operator may write all fields of all records')
const unlogged = not('no user has such records')
const unsecret = not('it has no passwords')
const unkeyed = not('a retry sends no key: 400')
const atConsole = not('a command is no request that is sent again')
const noCommand = not('scopes are of keys, and a command uses none')
const gone = not('the record is gone')
const oneByOne = not('a batch takes nothing that may hold a password: 400')
const bulkless = not('the start refuses a bulk list for users and for records with secrets')

const creating: Row = {
  guarded: happens,
  hooks: happens,
  prepare: happens,
  before: happens,
  checks: happens,
  recordChecks: happens,
  hash: happens,
  scope: happens,
  result: happens,
  proof: happens,
  sessions: made,
  audit: happens,
  touch: happens,
  follow: happens,
  version: happens,
  log: happens,
  effects: happens,
  files: happens,
  keyed: happens,
}
const changing: Row = { ...creating, proof: given, sessions: happens }
const removing: Row = {
  guarded: unsent,
  hooks: happens,
  prepare: happens,
  before: happens,
  checks: unsent,
  recordChecks: gone,
  hash: unsent,
  scope: unsent,
  result: gone,
  proof: gone,
  sessions: happens,
  audit: happens,
  touch: happens,
  follow: gone,
  version: gone,
  log: happens,
  effects: happens,
  files: happens,
  keyed: happens,
}
const bulk = { proof: bulkless, hash: bulkless, scope: bulkless, sessions: bulkless, audit: bulkless } as const
const batched = { proof: oneByOne, hash: oneByOne, scope: oneByOne, sessions: oneByOne, audit: oneByOne } as const
const single = {
  proof: unlogged,
  hash: unsecret,
  scope: unlogged,
  sessions: unlogged,
  audit: unlogged,
  files: not('its record has no path, and files have addresses below one'),
} as const
const byOperator = { guarded: operator, proof: given, scope: noCommand, result: operator, keyed: atConsole } as const

/** Every path × every step. */
export const table: Readonly<Record<PathName, Row>> = {
  create: creating,
  replace: changing,
  update: changing,
  delete: removing,
  upsertNew: creating,
  upsertKnown: changing,
  bulkUpdate: { ...changing, ...bulk },
  bulkDelete: { ...removing, ...bulk },
  importNew: { ...creating, keyed: unkeyed },
  importKnown: { ...changing, keyed: unkeyed },
  action: {
    ...changing,
    prepare: unasked,
    guarded: decided,
    hash: not('an action stores values as they are, and no password is one'),
    scope: decided,
    result: decided,
  },
  move: {
    ...changing,
    files: unsent,
    prepare: unasked,
    guarded: unsent,
    checks: unsent,
    hash: unsent,
    scope: unsent,
    result: decided,
  },
  batchCreate: { ...creating, ...batched },
  batchUpdate: { ...changing, ...batched },
  batchDelete: removing,
  singleMade: {
    ...creating,
    ...single,
    prepare: unasked,
    guarded: unsent,
    checks: unsent,
    result: not('it is made for a caller who may read it, and where it could not be read it is not made'),
    keyed: not('it is made by a read'),
  },
  singleChanged: { ...changing, ...single },
  cascade: { ...removing, prepare: unasked },
  cleared: {
    ...changing,
    files: unsent,
    prepare: unasked,
    guarded: unsent,
    checks: unsent,
    hash: unsent,
    scope: unsent,
    result: decided,
    sessions: not('an account that loses a reference may do what it might before'),
    audit: not('the audit says nothing of such a field'),
  },
  graphqlCreate: { ...creating, keyed: unkeyed },
  graphqlReplace: { ...changing, keyed: unkeyed },
  graphqlUpdate: { ...changing, keyed: unkeyed },
  graphqlDelete: { ...removing, keyed: unkeyed },
  commandCreate: { ...creating, ...byOperator },
  commandUpdate: { ...changing, ...byOperator },
  commandRemove: { ...removing, keyed: atConsole },
  commandImportNew: { ...creating, ...byOperator },
  commandImportKnown: { ...changing, ...byOperator },
}
