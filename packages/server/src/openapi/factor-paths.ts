/** The routes of `rest/accounts/factor-routes.ts`: the second step of a log-in, and enrolment. Absent where no factors are declared. */

import { currentPassword } from '../resource/accounts/credentials.ts'
import { factorTypes } from '../resource/accounts/identity-mark.ts'
import type { Catalog } from '../resource/catalog.ts'
import { apiPrefix, factorsPath } from '../rest/route.ts'
import { answer, type DocumentedError, errorsFor } from './answers.ts'
import {
  bodyContent,
  freeObject,
  jsonContent,
  type NamedNode,
  type Node,
  notForModels,
  objectSchema,
  refTo,
} from './node.ts'

const text = (description: string): Node => ({ type: 'string', maxLength: 4096, description })
const ticket = text('From the step before; it lives 5 minutes.')
const options = freeObject('For `navigator.credentials`.')
const type: Node = { type: 'string', enum: [...factorTypes], description: 'Codes of an app, or a passkey.' }
const recoveryCodes: Node = {
  type: 'array',
  maxItems: 10,
  description: 'Each good once; shown once.',
  items: { type: 'string', maxLength: 100 },
}

function body(description: string, properties: Node, required: readonly string[] = []): Node {
  return { type: 'object', description, ...(required.length > 0 && { required: [...required] }), properties }
}

const schemas: Node = {
  NextStep: body(
    'Why a log-in was refused, and what comes next.',
    {
      error: text('One sentence.'),
      next: { type: 'string', enum: [...factorTypes, 'enrol'], description: 'What is due.' },
      factors: { type: 'array', maxItems: 2, items: type, description: 'The choice.' },
      ticket,
    },
    ['error'],
  ),
  FactorProof: body('One thing that proves who somebody is; a passkey with the ticket of its challenge.', {
    ticket,
    code: text('Six digits of the app.'),
    recoveryCode: text('One of the recovery codes.'),
    passkey: freeObject('What `navigator.credentials` gave.'),
    [currentPassword]: text('Not for log-ins.'),
  }),
  Enrolment: {
    description: 'A factor to be, with the ticket of a log-in, or with what shows who asks.',
    allOf: [
      refTo('schemas', 'FactorProof'),
      body('The factor.', { type, name: text('What its owner calls it.') }, ['type']),
    ],
  },
  FactorChallenge: body(
    'For a passkey, or for an app.',
    { ticket, options, secret: text('In base32.'), address: text('For a QR code.') },
    ['ticket'],
  ),
  Enrolled: body(
    'The factor; tokens at the end of a log-in.',
    {
      id: text('The id.'),
      type,
      name: text('Its name.'),
      recoveryCodes,
      accessToken: text('As of a log-in.'),
      refreshToken: text('As of a log-in.'),
    },
    ['id', 'type', 'name'],
  ),
}

type Said = {
  readonly id: string
  readonly summary: string
  readonly about: string
  readonly takes: 'FactorProof' | 'Enrolment'
  readonly example: Node
  readonly gives: Node
  readonly status?: '200' | '201'
  /** It may end a log-in, and then sets the cookie. */
  readonly logsIn?: true
  /** Nobody is logged in yet. */
  readonly open?: true
}

function post({ id, summary, about, takes, example, gives, status = '200', open, logsIn }: Said): Node {
  const refused: readonly DocumentedError[] = open ? [] : ['forbidden']
  return {
    operationId: id,
    ...notForModels,
    tags: ['Authentication'],
    summary,
    description: about,
    ...(open && { security: [] }),
    requestBody: { required: true, content: bodyContent(refTo('schemas', takes), example) },
    responses: {
      [status]: answer('It is done.', logsIn ? ['Set-Cookie'] : [], jsonContent(gives)),
      ...errorsFor(['bad-request', 'unauthenticated', ...refused, 'too-many-requests', 'internal']),
    },
  }
}

const atLogIn: readonly NamedNode[] = [
  [
    'factor',
    post({
      id: 'loginWithFactor',
      summary: 'End a log-in by a factor, or log in by a passkey',
      about: 'With the ticket that the refused log-in gave, or that of a passkey.',
      takes: 'FactorProof',
      example: { ticket: 'the ticket of the log-in', code: '123456' },
      gives: refTo('schemas', 'TokenPair'),
      logsIn: true,
      open: true,
    }),
  ],
  [
    'passkey',
    post({
      id: 'askForPasskey',
      summary: 'Ask for a passkey, of a log-in by its ticket',
      about: 'Without a ticket it is the only factor.',
      takes: 'FactorProof',
      example: {},
      gives: refTo('schemas', 'FactorChallenge'),
      open: true,
    }),
  ],
]

const enrolling: readonly NamedNode[] = [
  [
    '',
    post({
      id: 'enrolFactor',
      summary: 'Begin to enrol a second factor',
      about: 'It counts once it was shown to work.',
      takes: 'Enrolment',
      example: { type: 'totp', [currentPassword]: 'correct horse battery' },
      gives: refTo('schemas', 'FactorChallenge'),
    }),
  ],
  [
    '/finish',
    post({
      id: 'finishEnrolment',
      summary: 'Show that the new factor works',
      about: 'With the ticket of the enrolment.',
      takes: 'FactorProof',
      example: { ticket: 'the ticket of the enrolment', code: '123456' },
      gives: refTo('schemas', 'Enrolled'),
      logsIn: true,
      status: '201',
    }),
  ],
  [
    '/recovery-codes',
    post({
      id: 'renewRecoveryCodes',
      summary: 'Make new recovery codes',
      about: 'Those of before work no longer.',
      takes: 'FactorProof',
      example: { [currentPassword]: 'correct horse battery' },
      gives: objectSchema('New codes.', { recoveryCodes }),
    }),
  ],
]

type FactorParts = {
  readonly schemas: Node
  readonly paths: readonly NamedNode[]
  /** What a refused log-in is answered with. */
  readonly refusedLogIn: Node | undefined
  /** What the removal of an own factor has: its body. */
  readonly removal: Node
}

export function factorParts({ factor }: Catalog): FactorParts {
  if (!factor) return { schemas: {}, paths: [], refusedLogIn: undefined, removal: {} }
  const path = factorsPath(factor.resource)
  const refused = {
    ...bodyContent(refTo('schemas', 'NextStep'), { error: 'Invalid credentials' }),
    ...jsonContent(freeObject('By RFC 9457.'), 'application/problem+json'),
  }
  const content = bodyContent(refTo('schemas', 'FactorProof'), { [currentPassword]: 'correct horse battery' })
  return {
    schemas,
    paths: [
      ...atLogIn.map(
        ([name, operation]): NamedNode => [
          `${apiPrefix}/auth/${name}`,
          { 'x-also-at': [`/auth/${name}`], post: operation },
        ],
      ),
      ...enrolling.map(([below, operation]): NamedNode => [`${path}${below}`, { post: operation }]),
    ],
    refusedLogIn: answer('Wrong, or another step is due.', ['X-Request-Id', 'WWW-Authenticate'], refused),
    removal: { ...notForModels, requestBody: { required: false, content } },
  }
}
