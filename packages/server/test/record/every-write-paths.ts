/**
 * Every path by which records are written (REST, GraphQL, batch, import …), each as one function
 * that writes the same values.
 */

import { createRecord, permitAtConsole, updateRecord } from '../../src/command/console-records.ts'
import { ApiError } from '../../src/errors.ts'
import { perform } from '../../src/perform/perform.ts'
import type { ImportResult } from '../../src/perform/result.ts'
import type { AskOptions, TestResponse, TestService } from '../../src/testing/index.ts'

export type Subject = 'piece' | 'member' | 'slot' | 'membership'
export type Values = Readonly<Record<string, unknown>>

/** A record to write. `key`: the field that is unique, and its value. */
export type Target = {
  readonly subject: Subject | 'lid'
  /** Absent where the path makes the record. */
  readonly id: string | undefined
  readonly key: Values
  readonly shelfId: string
  readonly chestId: string
  readonly makerId: string
}
/** `by`: the credential, and headers such as the key of a retry. */
export type Call = { readonly target: Target; readonly values: Values; readonly by: AskOptions }
/** `error`: the sentence of the refusal. */
export type Done = { readonly error?: string; readonly reply?: TestResponse }
export type PathKind = 'creates' | 'changes' | 'removes'
export type WritePath = {
  readonly kind: PathKind
  /** The records that it writes; `lid` is a parent's single record. */
  readonly writes: readonly (Subject | 'lid')[]
  readonly run: (own: TestService, call: Call) => Promise<Done>
}

const api = '/api/v1'
const collectionOf = ({ subject }: Target) => `${api}/${subject}s`
const recordOf = (target: Target) => `${collectionOf(target)}/${target.id}`

function doneBy(reply: TestResponse): Done {
  return reply.status < 300 ? { reply } : { reply, error: String(reply.body?.error) }
}

/** A whole new record takes these besides the values. */
function whole({ key, subject }: Target): Values {
  return subject === 'member' ? { ...key, password: 'correct horse' } : key
}

const links = ({ subject, shelfId }: Target) => (subject === 'piece' ? { shelfId } : {})

const rest =
  (method: string, pathOf: (target: Target) => string, bodyOf: (call: Call) => unknown = ({ values }) => values) =>
  async (own: TestService, call: Call): Promise<Done> =>
    doneBy(await own.ask(method, pathOf(call.target), { ...call.by, body: bodyOf(call) }))

const newBody = ({ target, values }: Call) => ({ ...whole(target), ...links(target), ...values })
/** A replace has all that is required; a password that is not sent stays. */
const replacing = ({ target, values }: Call) => ({ ...target.key, ...values })

/** It may be a create, so it has all that one needs. */
const upserting = ({ target, values }: Call) => ({ ...whole(target), ...values })

const importing =
  (lineOf: (call: Call) => Values) =>
  async (own: TestService, call: Call): Promise<Done> => {
    const raw = `${JSON.stringify(lineOf(call))}\n`
    const type = 'application/x-ndjson'
    const reply = await own.ask('POST', `${collectionOf(call.target)}/import`, { ...call.by, raw, type })
    return reply.body?.rejected > 0 ? { reply, error: reply.body.errors[0].error } : doneBy(reply)
  }

const batch =
  (operationOf: (call: Call) => { method: string; path: string; body?: unknown }) =>
  async (own: TestService, call: Call): Promise<Done> => {
    const operation = operationOf(call)
    const reply = await own.ask('POST', `${api}/batch`, { ...call.by, body: { operations: [operation] } })
    const [answer] = reply.body?.results ?? []
    const refused = answer?.status >= 300 ? answer.body?.error : undefined
    return refused === undefined ? doneBy(reply) : { reply, error: refused }
  }
const below = (path: string) => path.slice(api.length)

function typeNameOf({ subject }: Target): string {
  return `${subject[0]?.toUpperCase()}${subject.slice(1)}`
}

const graphql =
  (verb: string, inputOf?: (call: Call) => Values) =>
  async (own: TestService, call: Call): Promise<Done> => {
    const type = typeNameOf(call.target)
    const { id } = call.target
    const inputType = `${verb[0]?.toUpperCase()}${verb.slice(1)}${type}Input!`
    const types = [...(id ? ['$id: ID!'] : []), ...(inputOf ? [`$input: ${inputType}`] : [])]
    const given = [...(id ? ['id: $id'] : []), ...(inputOf ? ['input: $input'] : [])]
    const query = `mutation (${types.join(', ')}) { ${verb}${type}(${given.join(', ')}) { __typename } }`
    const variables = { id, input: inputOf?.(call) }
    const reply = await own.ask('POST', '/graphql', { ...call.by, body: { query, variables } })
    const [error] = reply.body?.errors ?? []
    return error ? { reply, error: error.message } : { reply }
  }

/** The command line performs the same operations as the operator, and parses no request. */
const command =
  (work: (own: TestService, call: Call) => Promise<unknown>) =>
  async (own: TestService, call: Call): Promise<Done> => {
    try {
      await work(own, call)
      return {}
    } catch (error) {
      if (error instanceof ApiError) return { error: error.message }
      throw error
    }
  }
const resourceOf = (own: TestService, { subject }: Target) => own.service.engine.catalog.get(subject)

const commandImport = (lineOf: (call: Call) => Values) =>
  command(async (own, call) => {
    const { engine } = own.service
    const resource = resourceOf(own, call.target)
    async function* lines() {
      yield { line: 1, text: '', parse: () => lineOf(call) }
    }
    const operation = { kind: 'import', resource, under: undefined, select: null, lines: lines() } as const
    const permitted = permitAtConsole(engine, operation)
    const { problems } = (await perform(engine, permitted)) as ImportResult
    if (problems[0]) throw problems[0].fault ?? new ApiError('bad-request', problems[0].error)
  })

const both: readonly Subject[] = ['piece', 'member']
const filterOf = ({ key }: Target) => `?code=${key.code}&limit=1`
const knownLine = ({ target, values }: Call) => ({ id: target.id, ...values })
const moveOf = ({ subject }: Target) => (subject === 'piece' ? 'shut' : 'bar')
const lidOf = ({ chestId }: Target) => `${api}/chests/${chestId}/lid`

export const writePaths = {
  create: { kind: 'creates', writes: both, run: rest('POST', collectionOf, newBody) },
  replace: { kind: 'changes', writes: both, run: rest('PUT', recordOf, replacing) },
  update: { kind: 'changes', writes: both, run: rest('PATCH', recordOf) },
  delete: { kind: 'removes', writes: both, run: rest('DELETE', recordOf, () => undefined) },
  upsertNew: {
    kind: 'creates',
    writes: both,
    run: rest('PUT', (target) => `${collectionOf(target)}?on=${Object.keys(target.key)[0]}`, newBody),
  },
  upsertKnown: {
    kind: 'changes',
    writes: both,
    run: rest('PUT', (target) => `${collectionOf(target)}?on=${Object.keys(target.key)[0]}`, upserting),
  },
  bulkUpdate: { kind: 'changes', writes: ['piece'], run: rest('PATCH', (one) => collectionOf(one) + filterOf(one)) },
  bulkDelete: {
    kind: 'removes',
    writes: ['piece'],
    run: rest(
      'DELETE',
      (one) => collectionOf(one) + filterOf(one),
      () => undefined,
    ),
  },
  importNew: { kind: 'creates', writes: both, run: importing(newBody) },
  importKnown: { kind: 'changes', writes: both, run: importing(knownLine) },
  action: {
    kind: 'changes',
    writes: both,
    run: rest(
      'POST',
      (one) => `${recordOf(one)}/rework`,
      ({ values }) => ({ json: JSON.stringify(values) }),
    ),
  },
  move: {
    kind: 'changes',
    writes: both,
    run: rest(
      'POST',
      (one) => `${recordOf(one)}/${moveOf(one)}`,
      () => undefined,
    ),
  },
  batchCreate: {
    kind: 'creates',
    writes: both,
    run: batch((call) => ({ method: 'POST', path: below(collectionOf(call.target)), body: newBody(call) })),
  },
  batchUpdate: {
    kind: 'changes',
    writes: both,
    run: batch(({ target, values }) => ({ method: 'PATCH', path: below(recordOf(target)), body: values })),
  },
  batchDelete: {
    kind: 'removes',
    writes: both,
    run: batch(({ target }) => ({ method: 'DELETE', path: below(recordOf(target)) })),
  },
  singleMade: { kind: 'creates', writes: ['lid'], run: rest('GET', lidOf, () => undefined) },
  singleChanged: { kind: 'changes', writes: ['lid'], run: rest('PATCH', lidOf) },
  cascade: {
    kind: 'removes',
    writes: both,
    run: rest(
      'DELETE',
      ({ chestId }) => `${api}/chests/${chestId}`,
      () => undefined,
    ),
  },
  cleared: {
    kind: 'changes',
    writes: both,
    run: rest(
      'DELETE',
      ({ makerId }) => `${api}/makers/${makerId}`,
      () => undefined,
    ),
  },
  graphqlCreate: { kind: 'creates', writes: both, run: graphql('create', newBody) },
  graphqlReplace: { kind: 'changes', writes: both, run: graphql('replace', replacing) },
  graphqlUpdate: { kind: 'changes', writes: both, run: graphql('update', ({ values }) => values) },
  graphqlDelete: { kind: 'removes', writes: both, run: graphql('delete') },
  commandCreate: {
    kind: 'creates',
    writes: both,
    run: command((own, call) =>
      createRecord(own.service.engine, resourceOf(own, call.target), { input: newBody(call) }),
    ),
  },
  commandUpdate: {
    kind: 'changes',
    writes: both,
    run: command((own, { target, values }) =>
      updateRecord(own.service.engine, resourceOf(own, target), { id: String(target.id), input: values }),
    ),
  },
  commandRemove: {
    kind: 'removes',
    writes: both,
    run: command((own, { target }) => {
      const resource = resourceOf(own, target)
      const operation = {
        kind: 'delete',
        resource,
        under: undefined,
        select: null,
        id: target.id,
        ifVersion: undefined,
        shows: false,
      } as const
      return perform(own.service.engine, permitAtConsole(own.service.engine, operation))
    }),
  },
  commandImportNew: { kind: 'creates', writes: both, run: commandImport(newBody) },
  commandImportKnown: { kind: 'changes', writes: both, run: commandImport(knownLine) },
} as const satisfies Record<string, WritePath>

export type PathName = keyof typeof writePaths
