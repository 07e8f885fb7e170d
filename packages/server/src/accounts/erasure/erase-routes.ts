/**
 * The route `POST /_erasures`: an operator erases a record with every copy of its values, and
 * proves their identity. `Prefer: dry-run` counts, and changes nothing. Only applications that
 * declare it have the route, because an erasure has no way back.
 */

import { besides, bodyShape } from '../../endpoint/body-shape.ts'
import { defineRoute, type RouteCall, type RouteGroup, type RouteTag } from '../../endpoint/define-route.ts'
import { documentedResponse } from '../../endpoint/documented-response.ts'
import type { RouteContext } from '../../endpoint/route-access.ts'
import { sentText, value } from '../../endpoint/route-fields.ts'
import { ApiError } from '../../errors.ts'
import { parsePrefer } from '../../http/messages/preferences.ts'
import { notFound } from '../../operation/not-found.ts'
import { parseId } from '../../perform/read/find.ts'
import { forbidden } from '../../policy/judge.ts'
import { currentPassword } from '../../resource/accounts/credentials.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { equal } from '../../resource/condition.ts'
import type { UserPrincipal } from '../../resource/principal.ts'
import { operator } from '../../resource/rules/operator.ts'
import { apiPrefix } from '../../resource/words/api-prefix.ts'
import { factorProof } from '../factors/factor-texts.ts'
import { confirmationIn, placeOf } from '../factors/proof.ts'
import type { ServedEngine } from '../served-engine.ts'
import { fresh, passwordExample } from '../sessions/auth-texts.ts'
import { originOf } from '../sessions/request-client.ts'
import { eraseRecord } from './erase-record.ts'

export type ErasureRouteDeps = { readonly engine: ServedEngine }

export const erasuresPath = `${apiPrefix}/_erasures` as const

const tag: RouteTag = { name: 'Erasure', description: 'The end of a record with every copy of its values.' }

const record = bodyShape('The record.', {
  resource: sentText({ required: true, maxLength: 100, description: 'The last part of the path of its list.' }),
  id: sentText({ required: true, maxLength: 100, description: 'The id of the record.' }),
})
const asked = besides(factorProof, record, {
  name: 'ErasureRequest',
  about: 'The record, and what shows who asks. A dry run needs no proof.',
})

const count = { type: 'integer', minimum: 0, description: 'How many.' } as const
const counts = { type: 'object', additionalProperties: count } as const
const number = (description: string) => value<number>()({ ...count, description }, { required: true })
const byName = (description: string) =>
  value<Readonly<Record<string, number>>>()({ ...counts, description }, { required: true })

const done = bodyShape(
  'All that is erased.',
  {
    records: byName('Records that are gone, by the names of resources.'),
    emptied: byName('Records that stay and lost their personal values, by the names of resources.'),
    log: number('Rows of the change log that lost their values.'),
    answers: number('Kept answers that are gone.'),
    effects: number('Waiting effects and mails that are gone.'),
    events: number('Events of the audit that lost their details.'),
    left: byName('Other records with the address of the user in a text, which stay.'),
  },
  { name: 'Erasure' },
)

/** Throws `unauthenticated`, and `forbidden` for a key and for the view of another user. */
function eraserOf(caller: RouteCall['caller']): UserPrincipal {
  if (caller.kind !== 'user') throw new ApiError('unauthenticated', 'Token required')
  if (caller.sessionId === undefined || caller.viewer) throw forbidden('Log in: this needs a session of your own')
  return caller
}

/** Records of tables that the engine makes go with theirs. Throws `bad-request`. */
function resourceNamed({ resources }: Catalog, name: string): Resource {
  const found = [...resources.values()].find(({ slug, traits }) => slug === name && !traits.made)
  if (!found) throw new ApiError('bad-request', `There is no resource ${name.slice(0, 100)}`)
  return found
}

const erase = defineRoute({
  method: 'POST',
  path: erasuresPath,
  describe: {
    id: 'erase',
    tag,
    summary: 'Erase a record with every copy of its values',
    about:
      'Its versions, links and copies in the trash, values in the change log, kept answers, waiting effects and mails. With `Prefer: dry-run` it counts, and changes nothing. There is no way back. Backups keep their copies.',
    notForModels: true,
  },
  rule: operator,
  limits: { rate: 'auth' },
  ignoresDryRun: true,
  input: asked,
  example: {
    resource: 'users',
    id: '0197a4c2-7f00-7000-8000-000000000001',
    [currentPassword]: passwordExample,
  },
  output: { 200: documentedResponse('It is done.', { headers: ['Preference-Applied'], body: done }) },
  errors: ['bad-request', 'unauthenticated', 'forbidden', 'not-found', 'conflict'],
  async run({ input, caller, request }, { engine }: ErasureRouteDeps) {
    const principal = eraserOf(caller)
    const resource = resourceNamed(engine.catalog, input.resource)
    const id = parseId(resource, input.id)
    if (id === undefined) throw notFound(resource, 'get')
    const dry = request.headers.prefer !== undefined && parsePrefer(request.headers.prefer).dryRun
    const origin = originOf(request)
    if (!dry) await engine.identity.confirmSelf(principal, confirmationIn(input, placeOf(request)), origin)
    const where = equal(resource.idField, id)
    const { id: _, ...body } = await eraseRecord(engine, { resource, where, principal, origin, dry })
    return { status: 200, headers: dry ? { ...fresh, 'preference-applied': 'dry-run' } : fresh, body }
  },
})

/** Empty where no declaration asks for it. */
export function erasureRoutes({ catalog }: RouteContext): RouteGroup<ErasureRouteDeps> {
  if (!catalog.hasErasures) return { routes: [] }
  return { routes: [erase], shapes: [done, asked, ...(catalog.factor ? [] : [factorProof])] }
}
