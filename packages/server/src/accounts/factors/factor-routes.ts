/**
 * Second factors: `/auth/factor` and `/auth/passkey` end a log-in, and routes below the path of the
 * factors enrol one. Lists and removals are those of the declared resource.
 */

import { partOf } from '../../endpoint/body-shape.ts'
import { type DefinedRoute, defineRoute, type Subject } from '../../endpoint/define-route.ts'
import { type Ground, inside, open } from '../../endpoint/door.ts'
import { answer } from '../../endpoint/route-answer.ts'
import { ApiError } from '../../errors.ts'
import type { HttpRequest } from '../../http/messages/exchange.ts'
import { forbidden } from '../../policy/judge.ts'
import { authorOf } from '../../record/author.ts'
import { currentPassword } from '../../resource/accounts/credentials.ts'
import type { FactorMark } from '../../resource/accounts/identity-mark.ts'
import type { Marked } from '../../resource/catalog.ts'
import { anonymous, type Principal } from '../../resource/principal.ts'
import { user } from '../../resource/rules/any-user.ts'
import type { Author } from '../../storage/changes.ts'
import type { Row } from '../../storage/storage.ts'
import type { Identity } from '../identity.ts'
import { atAuth, authWords, counted, fresh, passwordExample, tokenPair } from '../sessions/auth-words.ts'
import type { CookieOptions } from '../sessions/cookies/refresh-cookie.ts'
import { clientOf, originOf } from '../sessions/request-client.ts'
import { answerLogIn } from '../sessions/session-answer.ts'
import { managing } from '../sessions/who-manages.ts'
import type { FactorService } from './factor-service.ts'
import { enrolled, enrolment, factorChallenge, factorProof, newCodes } from './factor-words.ts'
import { factorsPath } from './factors-path.ts'
import { confirmationIn, confirmationNames, placeOf, proofIn, proofNames } from './proof.ts'

export type FactorNeeds = CookieOptions & {
  readonly identity: Identity
  readonly factors: FactorService
  readonly resource: Marked<FactorMark>
}

function authorFrom(principal: Principal, request: HttpRequest): Author {
  const { address, userAgent } = originOf(request)
  return { ...authorOf(principal), address, userAgent }
}

function shownFactor({ resource, mark }: Marked<FactorMark>, row: Row) {
  return { id: row[resource.idField], type: row[mark.type], name: row[mark.name] }
}

const isDone = 'It is done.'
const atLogIn = { rule: open, limits: counted, ignoresDryRun: true } as const

const logIn = defineRoute({
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
  output: { 200: answer(isDone, { headers: ['Set-Cookie'], body: tokenPair }) },
  errors: ['bad-request', 'unauthenticated'],
  async run({ input, request }, needs: FactorNeeds) {
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
  output: { 200: answer(isDone, { body: factorChallenge }) },
  errors: ['bad-request', 'unauthenticated'],
  async run({ input: { ticket }, request }, { factors }: FactorNeeds) {
    return { status: 200, headers: fresh, body: await factors.ask(placeOf(request), ticket ?? undefined) }
  },
})

/** Of routes for an account: a person, or a key whose scopes say that it may. */
const ofAccount = { limits: counted, isOfCredentials: true } as const
const refused = ['bad-request', 'unauthenticated', 'forbidden'] as const

/** `inside`: the ticket of a log-in stands for its user, who has no credential yet. */
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
    rule: inside(user),
    ...ofAccount,
    input: enrolment,
    example: { type: 'totp', [currentPassword]: passwordExample },
    output: { 200: answer(isDone, { body: factorChallenge }) },
    errors: refused,
    async run({ input, caller, request }, { identity, factors: { enrolment } }: FactorNeeds) {
      const { type, name, ticket } = input
      const wanted = { type, name: name ?? undefined, place: placeOf(request) }
      const isAtLogIn = caller === anonymous && ticket !== null
      if (isAtLogIn) return { status: 200, headers: fresh, body: await enrolment.beginAtLogIn(ticket, wanted) }
      const own = managing(caller)
      await identity.confirmSelf(own, confirmationIn(input, wanted.place), originOf(request))
      return { status: 200, headers: fresh, body: await enrolment.begin(own.userId, wanted) }
    },
  })

const finishAt = (path: string) =>
  defineRoute({
    method: 'POST',
    path,
    describe: {
      id: 'finishEnrolment',
      ...authWords,
      summary: 'Show that the new factor works',
      about: 'With the ticket of the enrolment.',
    },
    rule: inside(user),
    ...ofAccount,
    input: partOf(factorProof, ['ticket', 'code', 'passkey'], ['ticket']),
    example: { ticket: 'the ticket of the enrolment', code: '123456' },
    output: { 201: answer(isDone, { headers: ['Set-Cookie'], body: enrolled }) },
    errors: refused,
    async run({ input: { ticket, code, passkey }, caller, request }, needs: FactorNeeds) {
      const { enrolment } = needs.factors
      const { userId, atLogIn } = enrolment.about(ticket)
      if (!atLogIn && managing(caller).userId !== userId) throw forbidden()
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
    output: { 200: answer(isDone, { body: newCodes }) },
    errors: refused,
    async run({ input, caller, request }, { identity, factors: { enrolment } }: FactorNeeds) {
      const own = managing(caller)
      await identity.confirmSelf(own, confirmationIn(input, placeOf(request)), originOf(request))
      const recoveryCodes = await enrolment.renewCodes(own.userId, authorFrom(own, request))
      return { status: 200, headers: fresh, body: { recoveryCodes } }
    },
  })

/** None where no factors are declared. Their shapes are those of log-ins, which may ask for one. */
export function factorRoutes({ catalog: { login, factor } }: Ground): Subject<FactorNeeds> {
  if (!login || !factor) return { routes: [] }
  const path = factorsPath(factor.resource)
  const enrolling: DefinedRoute<FactorNeeds>[] = [
    beginAt(path),
    finishAt(`${path}/finish`),
    renewCodesAt(`${path}/recovery-codes`),
  ]
  return { routes: [logIn, ask, ...enrolling] }
}
