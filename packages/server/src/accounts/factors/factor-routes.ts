/**
 * The routes of second factors. `/auth/passkey` gives the challenge of a passkey, and
 * `/auth/factor` ends a log-in. Routes at and below the path of the factors enrol a factor and
 * renew recovery codes. The routes of the resource itself list and remove factors.
 */

import { partOf } from '../../endpoint/body-shape.ts'
import { type DefinedRoute, defineRoute, type RouteGroup } from '../../endpoint/define-route.ts'
import { documentedResponse } from '../../endpoint/documented-response.ts'
import { openAccess, type RouteContext, ruleAccess } from '../../endpoint/route-access.ts'
import { ApiError } from '../../errors.ts'
import type { HttpRequest } from '../../http/messages/exchange.ts'
import { forbidden } from '../../policy/judge.ts'
import { authorOf } from '../../record/author.ts'
import { currentPassword } from '../../resource/accounts/credentials.ts'
import type { FactorMark } from '../../resource/accounts/identity-mark.ts'
import type { MarkedTable } from '../../resource/catalog.ts'
import { anonymous, type Principal } from '../../resource/principal.ts'
import { user } from '../../resource/rules/any-user.ts'
import type { Author } from '../../storage/changes.ts'
import type { Row } from '../../storage/storage.ts'
import { type LogInErrors, logInErrors } from '../code/log-in-errors.ts'
import type { Identity } from '../identity.ts'
import { atAuth, authWords, counted, fresh, passwordExample, tokenPair } from '../sessions/auth-texts.ts'
import type { CookieOptions } from '../sessions/cookies/refresh-cookie.ts'
import { identifyManager } from '../sessions/identify-manager.ts'
import { clientOf, originOf } from '../sessions/request-client.ts'
import { answerLogIn } from '../sessions/session-response.ts'
import type { FactorService } from './factor-service.ts'
import { enrolled, enrolment, factorChallenge, factorProof, newCodes } from './factor-texts.ts'
import { factorsPath } from './factors-path.ts'
import { confirmationIn, confirmationNames, placeOf, proofIn, proofNames } from './proof.ts'

export type FactorRouteDeps = CookieOptions & {
  readonly identity: Identity
  readonly factors: FactorService
  readonly resource: MarkedTable<FactorMark>
}

function authorFrom(principal: Principal, request: HttpRequest): Author {
  const { address, userAgent } = originOf(request)
  return { ...authorOf(principal), address, userAgent }
}

function shownFactor({ resource, mark }: MarkedTable<FactorMark>, row: Row) {
  return { id: row[resource.idField], type: row[mark.type], name: row[mark.name] }
}

const isDone = 'It is done.'
const atLogIn = { rule: openAccess, limits: counted, ignoresDryRun: true } as const

const logInWith = (refusals: LogInErrors) =>
  defineRoute({
    method: 'POST',
    ...atAuth('/factor'),
    describe: {
      id: 'loginWithFactor',
      ...authWords,
      summary: 'End a log-in by a factor, or log in by a passkey',
      about: 'With the ticket that the refused log-in gave, or that of a passkey.',
    },
    ...atLogIn,
    input: partOf(factorProof, ['ticket', ...proofNames], ['ticket']),
    example: { ticket: 'the ticket of the log-in', code: '123456' },
    output: { 200: documentedResponse(isDone, { headers: ['Set-Cookie'], body: tokenPair }) },
    errors: ['bad-request', 'unauthenticated', ...refusals],
    async run({ input, request }, needs: FactorRouteDeps) {
      const proof = proofIn(input, placeOf(request))
      if (!proof) throw new ApiError('bad-request', `One of ${proofNames.join(', ')} is required`)
      return answerLogIn(needs, request, await needs.factors.logIn(input.ticket, proof, clientOf(request)))
    },
  })

const ask = defineRoute({
  method: 'POST',
  ...atAuth('/passkey'),
  describe: {
    id: 'askForPasskey',
    ...authWords,
    summary: 'Ask for a passkey, of a log-in by its ticket',
    about: 'Without a ticket it is the only factor.',
  },
  ...atLogIn,
  input: partOf(factorProof, ['ticket']),
  example: {},
  output: { 200: documentedResponse(isDone, { body: factorChallenge }) },
  errors: ['bad-request', 'unauthenticated'],
  async run({ input: { ticket }, request }, { factors }: FactorRouteDeps) {
    return { status: 200, headers: fresh, body: await factors.ask(placeOf(request), ticket ?? undefined) }
  },
})

/** For routes of an account: a person, or a key whose scopes allow it. */
const ofAccount = { limits: counted, isOfCredentials: true } as const
const refused = ['bad-request', 'unauthenticated', 'forbidden'] as const

/** `ruleAccess`: the ticket of a log-in stands for its user, who has no credential yet. */
const beginAt = (path: string) =>
  defineRoute({
    method: 'POST',
    path,
    describe: {
      id: 'enrolFactor',
      ...authWords,
      summary: 'Begin to enrol a second factor',
      about: 'It counts once it was shown to work.',
    },
    rule: ruleAccess(user),
    ...ofAccount,
    input: enrolment,
    example: { type: 'totp', [currentPassword]: passwordExample },
    output: { 200: documentedResponse(isDone, { body: factorChallenge }) },
    errors: refused,
    async run({ input, caller, request }, { identity, factors: { enrolment } }: FactorRouteDeps) {
      const { type, name, ticket } = input
      const wanted = { type, name: name ?? undefined, place: placeOf(request) }
      const isAtLogIn = caller === anonymous && ticket !== null
      if (isAtLogIn) return { status: 200, headers: fresh, body: await enrolment.beginAtLogIn(ticket, wanted) }
      const own = identifyManager(caller)
      await identity.confirmSelf(own, confirmationIn(input, wanted.place), originOf(request))
      return { status: 200, headers: fresh, body: await enrolment.begin(own.userId, wanted) }
    },
  })

const finishAt = (path: string, refusals: LogInErrors) =>
  defineRoute({
    method: 'POST',
    path,
    describe: {
      id: 'finishEnrolment',
      ...authWords,
      summary: 'Show that the new factor works',
      about: 'With the ticket of the enrolment.',
    },
    rule: ruleAccess(user),
    ...ofAccount,
    input: partOf(factorProof, ['ticket', 'code', 'passkey'], ['ticket']),
    example: { ticket: 'the ticket of the enrolment', code: '123456' },
    output: { 201: documentedResponse(isDone, { headers: ['Set-Cookie'], body: enrolled }) },
    errors: [...refused, ...refusals],
    async run({ input: { ticket, code, passkey }, caller, request }, needs: FactorRouteDeps) {
      const { enrolment } = needs.factors
      const { userId, atLogIn } = enrolment.about(ticket)
      if (!atLogIn && identifyManager(caller).userId !== userId) throw forbidden()
      const shown = { code: code ?? undefined, passkey: passkey ?? undefined, place: placeOf(request) }
      const by = { author: authorFrom(caller, request), client: clientOf(request) }
      const { factor, recoveryCodes, logIn: opened } = await enrolment.finish(ticket, shown, by)
      const said = { ...shownFactor(needs.resource, factor), ...(recoveryCodes && { recoveryCodes }) }
      if (!opened) return { status: 201, headers: fresh, body: said }
      const { headers, body } = answerLogIn(needs, request, opened)
      return { status: 201, headers, body: { ...body, ...said } }
    },
  })

const renewCodesAt = (path: string) =>
  defineRoute({
    method: 'POST',
    path,
    describe: {
      id: 'renewRecoveryCodes',
      ...authWords,
      summary: 'Make new recovery codes',
      about: 'Those of before work no longer.',
    },
    rule: user,
    ...ofAccount,
    input: partOf(factorProof, confirmationNames),
    example: { [currentPassword]: passwordExample },
    output: { 200: documentedResponse(isDone, { body: newCodes }) },
    errors: refused,
    async run({ input, caller, request }, { identity, factors: { enrolment } }: FactorRouteDeps) {
      const own = identifyManager(caller)
      await identity.confirmSelf(own, confirmationIn(input, placeOf(request)), originOf(request))
      const recoveryCodes = await enrolment.renewCodes(own.userId, authorFrom(own, request))
      return { status: 200, headers: fresh, body: { recoveryCodes } }
    },
  })

/**
 * Empty where no factors are declared. Their shapes are those of log-ins, which may ask for one.
 */
export function factorRoutes({ catalog: { login, factor } }: RouteContext): RouteGroup<FactorRouteDeps> {
  if (!login || !factor) return { routes: [] }
  const path = factorsPath(factor.resource)
  const refusals = logInErrors(login)
  const enrolling: DefinedRoute<FactorRouteDeps>[] = [
    beginAt(path),
    finishAt(`${path}/finish`, refusals),
    renewCodesAt(`${path}/recovery-codes`),
  ]
  return { routes: [logInWith(refusals), ask, ...enrolling] }
}
