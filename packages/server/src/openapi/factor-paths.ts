/** The routes of `rest/factor-routes.ts`: the second step of a log-in, and enrolment. Absent where no factors are declared. */
import type { Catalog } from '../resource/catalog.ts'
import { currentPassword } from '../resource/credentials.ts'
import { factorTypes } from '../resource/identity-mark.ts'
import { apiPrefix, factorsPath } from '../rest/route.ts'
import { answer, errorsFor } from './answers.ts'
import { bodyContent, jsonContent, type NamedNode, type Node, objectSchema, refTo } from './node.ts'

const tags = ['Authentication']
const text = (description: string): Node => ({ type: 'string', maxLength: 4096, description })
const ticket = text('From the step before; it lives 5 minutes.')
const passkey: Node = { type: 'object', description: 'What `navigator.credentials` gave, as JSON.' }
const options: Node = { type: 'object', description: 'For `navigator.credentials`, as JSON.' }
const codes: Node = {
  type: 'array',
  maxItems: 10,
  description: 'Each stands in for a factor once; shown once.',
  items: { type: 'string', maxLength: 100 },
}
const type: Node = { type: 'string', enum: [...factorTypes], description: 'Codes of an app, or a key of a device.' }
const proof: Node = {
  ticket,
  code: text('Six digits of the app.'),
  recoveryCode: text('One of the recovery codes.'),
  passkey,
}
const password: Node = {
  type: 'string',
  format: 'password',
  maxLength: 4096,
  writeOnly: true,
  description: 'As of today.',
}

function body(description: string, properties: Node, required: readonly string[] = []): Node {
  return { type: 'object', description, ...(required.length > 0 && { required: [...required] }), properties }
}

const schemas: Node = {
  NextStep: body(
    'Why a log-in was refused, and what comes next.',
    {
      error: text('One sentence.'),
      next: { type: 'string', enum: [...factorTypes, 'enrol'], description: 'What is asked for.' },
      factors: { type: 'array', maxItems: 2, items: type, description: 'What there is to choose from.' },
      ticket,
    },
    ['error'],
  ),
  Confirmation: body('What proves who somebody is: one of these, a passkey with the ticket of its challenge.', {
    ...proof,
    [currentPassword]: password,
  }),
  SecondStep: body('The ticket, and what is shown.', proof, ['ticket']),
  PasskeyChallenge: objectSchema('What a browser asks the device for.', { ticket, options }),
  Enrolment: body(
    'A factor to be, and what shows who asks: the ticket of a log-in, or what is sent beside new credentials.',
    { type, name: text('What its owner calls it.'), ...proof, [currentPassword]: password },
    ['type'],
  ),
  EnrolmentBegun: body(
    'For the app, or for the device.',
    { ticket, secret: text('In base32.'), address: text('`otpauth:`, for a QR code.'), options },
    ['ticket'],
  ),
  EnrolmentProof: body('What shows that it works.', { ticket, code: proof.code as Node, passkey }, ['ticket']),
  Enrolled: body(
    'The factor; tokens at the end of a log-in.',
    {
      id: text('The id.'),
      type,
      name: text('Its name.'),
      recoveryCodes: codes,
      accessToken: text('For `Authorization: Bearer …`.'),
      refreshToken: text('For a new access token.'),
    },
    ['id', 'type', 'name'],
  ),
  RecoveryCodes: objectSchema('New codes.', { recoveryCodes: codes }),
}

type Said = {
  readonly id: string
  readonly summary: string
  readonly takes: string
  readonly example: Node
  readonly gives: string
  readonly made?: boolean
  readonly open?: boolean
}

function post({ id, summary, takes, example, gives, made = false, open = false }: Said): Node {
  const said = answer('It is done.', made ? ['Set-Cookie'] : [], jsonContent(refTo('schemas', gives)))
  const refused = open ? [] : (['forbidden', 'conflict'] as const)
  return {
    operationId: id,
    tags,
    summary,
    ...(open && { security: [] }),
    requestBody: { required: true, content: bodyContent(refTo('schemas', takes), example) },
    responses: {
      [made && !open ? '201' : '200']: said,
      ...errorsFor(['bad-request', 'unauthenticated', ...refused, 'too-many-requests', 'internal']),
    },
  }
}

/** Path → what it is beside what the resource offers there. */
function pathsOf(path: string): readonly NamedNode[] {
  const sent = { [currentPassword]: 'correct horse battery' }
  const stepped = { ticket: 'the ticket of the log-in', code: '123456' }
  const at = (name: string, operation: Node): NamedNode => [
    `${apiPrefix}/auth/${name}`,
    { 'x-also-at': [`/auth/${name}`], post: operation },
  ]
  return [
    at(
      'factor',
      post({
        id: 'loginWithFactor',
        summary: 'End a log-in with a second factor, or log in with a passkey',
        takes: 'SecondStep',
        example: stepped,
        gives: 'TokenPair',
        made: true,
        open: true,
      }),
    ),
    at(
      'passkey',
      post({
        id: 'askForPasskey',
        summary: 'Ask for a passkey of a log-in, or of anybody',
        takes: 'SecondStepTicket',
        example: {},
        gives: 'PasskeyChallenge',
        open: true,
      }),
    ),
    [
      path,
      {
        post: post({
          id: 'enrolFactor',
          summary: 'Begin to enrol a second factor',
          takes: 'Enrolment',
          example: { type: 'totp', ...sent },
          gives: 'EnrolmentBegun',
        }),
      },
    ],
    [
      `${path}/finish`,
      {
        post: post({
          id: 'finishEnrolment',
          summary: 'Show that the new factor works',
          takes: 'EnrolmentProof',
          example: { ticket: 'the ticket of the enrolment', code: '123456' },
          gives: 'Enrolled',
          made: true,
        }),
      },
    ],
    [
      `${path}/recovery-codes`,
      {
        post: post({
          id: 'renewRecoveryCodes',
          summary: 'Make new recovery codes',
          takes: 'Confirmation',
          example: sent,
          gives: 'RecoveryCodes',
        }),
      },
    ],
  ]
}

type FactorParts = {
  readonly schemas: Node
  readonly paths: readonly NamedNode[]
  /** What a refused log-in is answered with. */
  readonly refusedLogIn: Node | undefined
  /** The body with which an own factor is removed. */
  readonly removal: Node | undefined
}

export function factorParts({ factor }: Catalog): FactorParts {
  if (!factor) return { schemas: {}, paths: [], refusedLogIn: undefined, removal: undefined }
  const also = { SecondStepTicket: body('The log-in, if it is for one.', { ticket }) }
  const refused = {
    ...bodyContent(refTo('schemas', 'NextStep'), { error: 'Invalid credentials' }),
    ...jsonContent({ type: 'object', description: 'The same, by RFC 9457.' }, 'application/problem+json'),
  }
  return {
    schemas: { ...schemas, ...also },
    paths: pathsOf(factorsPath(factor.resource)),
    refusedLogIn: answer('Wrong, or another step is due.', ['X-Request-Id', 'WWW-Authenticate'], refused),
    removal: {
      requestBody: {
        required: false,
        description: 'By its owner.',
        content: bodyContent(refTo('schemas', 'Confirmation'), { [currentPassword]: 'correct horse battery' }),
      },
    },
  }
}
