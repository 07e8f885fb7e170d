/**
 * The shapes of requests and responses about second factors, for the routes of log-ins and of
 * enrolment.
 */

import { besides, bodyShape } from '../../endpoint/body-shape.ts'
import { documentedResponse, mediaBody } from '../../endpoint/documented-response.ts'
import { sentText, value } from '../../endpoint/route-fields.ts'
import { currentPassword } from '../../resource/accounts/credentials.ts'
import { type FactorType, factorTypes } from '../../resource/accounts/identity-mark.ts'
import { fieldError, type JsonSchema } from '../../resource/fields/field.ts'
import type { WebauthnJson as Passkey } from './passkeys.ts'
import { passkeyIn } from './proof.ts'

const text = (description: string) => sentText({ description })
const needed = (description: string) => sentText({ required: true, description })
const aboutTicket = 'From the step before; it lives 5 minutes.'
const ticket = text(aboutTicket)

/**
 * With any members. Generators of types make an object without members of one that says nothing of
 * them.
 */
function free(description: string): JsonSchema {
  return { type: 'object', additionalProperties: true, description }
}

/** A browser made this with `navigator.credentials`. */
export const passkey = value<Passkey>()(free('What `navigator.credentials` gave.'), {
  check: (sent) => passkeyIn({ passkey: sent }),
})

const aboutType = 'Codes of an app, or a passkey.'
const typeSchema: JsonSchema = { type: 'string', enum: [...factorTypes], description: aboutType }

const type = value<FactorType>()(typeSchema, {
  required: true,
  check(sent) {
    if (!factorTypes.includes(sent as FactorType)) throw fieldError('type', `must be one of ${factorTypes.join(', ')}`)
    return sent
  },
})
const codesSchema: JsonSchema = {
  type: 'array',
  maxItems: 10,
  description: 'Each good once; shown once.',
  items: { type: 'string', maxLength: 100 },
}

const nextStep = bodyShape(
  'Why a log-in was refused, and what comes next.',
  {
    error: needed('One sentence.'),
    next: value()({ type: 'string', enum: [...factorTypes, 'enrol'], description: 'What is due.' }),
    factors: value()({ type: 'array', maxItems: 2, items: typeSchema, description: 'The choice.' }),
    ticket,
  },
  { name: 'NextStep' },
)

/** Each route takes a part of it. */
export const factorProof = bodyShape(
  'One proof of identity; a passkey with the ticket of its challenge.',
  {
    ticket,
    code: text('Six digits of the app.'),
    recoveryCode: text('One of the recovery codes.'),
    passkey,
    [currentPassword]: text('Not for log-ins.'),
  },
  { name: 'FactorProof' },
)

export const enrolment = besides(
  factorProof,
  bodyShape('The factor.', { type, name: text('The name that its owner gives it.') }),
  {
    name: 'Enrolment',
    about: 'A factor to be, with the ticket of a log-in, or with what shows who asks.',
  },
)

export const factorChallenge = bodyShape(
  'For a passkey, or for an app.',
  {
    ticket: needed(aboutTicket),
    options: value<object>()(free('For `navigator.credentials`.')),
    secret: text('In base32.'),
    address: text('For a QR code.'),
  },
  { name: 'FactorChallenge' },
)

export const enrolled = bodyShape(
  'The factor; tokens at the end of a log-in.',
  {
    id: value<unknown>()({ type: 'string', maxLength: 4096, description: 'The id.' }, { required: true }),
    type: value<unknown>()(typeSchema, { required: true }),
    name: value<unknown>()({ type: 'string', maxLength: 4096, description: 'Its name.' }, { required: true }),
    recoveryCodes: value<readonly string[]>()(codesSchema),
    accessToken: text('As of a log-in.'),
    refreshToken: text('As of a log-in.'),
  },
  { name: 'Enrolled' },
)

export const newCodes = bodyShape('New codes.', {
  recoveryCodes: value<readonly string[]>()(codesSchema, { required: true }),
})

/** In the order of the document. */
export const factorShapes = [nextStep, factorProof, enrolment, factorChallenge, enrolled]

/** For a log-in where there are factors. */
export const refusedLogIn = documentedResponse('Wrong, or another step is due.', {
  headers: ['X-Request-Id', 'WWW-Authenticate'],
  body: mediaBody({
    'application/json': { shape: nextStep, example: { error: 'Invalid credentials' } },
    'application/problem+json': { schema: free('By RFC 9457.') },
  }),
})
