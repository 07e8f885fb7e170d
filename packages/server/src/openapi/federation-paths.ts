/** Log-ins by other issuers, and the keys that others check our tokens by: in the document where they are configured. */

import { currentPassword } from '../resource/accounts/credentials.ts'
import type { Catalog } from '../resource/catalog.ts'
import type { Settings } from '../resource/rule.ts'
import { apiPrefix } from '../rest/route.ts'
import { answer, errorsFor } from './answers.ts'
import {
  bodyContent,
  freeObject,
  jsonContent,
  type NamedNode,
  type Node,
  nodesOf,
  notForModels,
  objectSchema,
  refTo,
} from './node.ts'

const tags = ['Authentication']
const always = ['bad-request', 'too-many-requests', 'internal'] as const
const returnTo: Node = { type: 'string', maxLength: 1000, description: 'A path here, or an address of `CORS_ORIGINS`.' }

const schemas: Node = {
  LogInProviders: objectSchema('Whom people may log in by.', {
    providers: { type: 'array', maxItems: 100, items: { type: 'string', maxLength: 31 }, description: 'Their names.' },
  }),
  LogInAddress: objectSchema('Where to send the browser.', {
    location: { type: 'string', maxLength: 8000, description: 'An address of the provider.' },
  }),
  LogInStep: objectSchema('The account has to say yes.', {
    next: { const: 'link', description: 'Always `link`.' },
    ticket: { type: 'string', maxLength: 4000, description: 'For `/auth/oidc/link`, for ten minutes.' },
  }),
  LinkedLogIn: objectSchema('The log-in belongs to the account.', {
    id: { type: ['string', 'integer'], maxLength: 100, description: 'The record of it.' },
  }),
}

const list: Node = {
  operationId: 'listLogInProviders',
  ...notForModels,
  tags,
  summary: 'List whom to log in by',
  security: [],
  responses: {
    '200': answer('Their names.', [], jsonContent(refTo('schemas', 'LogInProviders'))),
    ...errorsFor(always),
  },
}

/** What an account that has factors says yes with instead. */
const byFactor: Node = {
  code: { type: 'string', maxLength: 4096, description: 'Six digits of the app.' },
  recoveryCode: { type: 'string', maxLength: 4096, description: 'One of the recovery codes.' },
  passkey: freeObject('What `navigator.credentials` gave.'),
  passkeyTicket: { type: 'string', maxLength: 4096, description: 'Of the challenge of the passkey.' },
}

const linkWith = (proofs: Node): Node => ({
  operationId: 'linkLogIn',
  ...notForModels,
  tags,
  summary: 'Confirm that a log-in belongs to the account',
  description: 'Whoever has no password confirms by a factor, or within ten minutes after a log-in.',
  security: [{ bearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }],
  requestBody: {
    required: true,
    content: bodyContent(
      {
        type: 'object',
        description: 'What is confirmed, and by what.',
        required: ['ticket'],
        properties: {
          ticket: { type: 'string', maxLength: 4000, description: 'Of the log-in.' },
          [currentPassword]: {
            type: 'string',
            format: 'password',
            maxLength: 1024,
            description: 'That of the account.',
          },
          ...proofs,
        },
      },
      { ticket: 'the ticket that was given', [currentPassword]: 'correct horse battery' },
    ),
  },
  responses: {
    '201': answer('It belongs to the account.', [], jsonContent(refTo('schemas', 'LinkedLogIn'))),
    ...errorsFor([...always, 'unauthenticated', 'forbidden', 'conflict']),
  },
})

function providerParameter(names: readonly string[]): Node {
  const description = 'One of `/auth/oidc`.'
  return {
    name: 'provider',
    in: 'path',
    required: true,
    description,
    schema: { enum: [...names] },
    example: names[0] ?? '',
  }
}

const start: Node = {
  operationId: 'startLogIn',
  ...notForModels,
  tags,
  summary: 'Send the browser to a provider',
  security: [],
  parameters: [
    {
      name: 'returnTo',
      in: 'query',
      description: 'Where the browser goes at the end.',
      schema: returnTo,
      example: '/',
    },
  ],
  responses: {
    '302': answer('To the provider.', ['Set-Cookie', 'Location']),
    ...errorsFor([...always, 'not-found', 'bad-gateway']),
  },
}

const startLink: Node = {
  operationId: 'startLink',
  ...notForModels,
  tags,
  summary: 'Ask for a log-in by a provider to be linked',
  security: [{ bearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }],
  requestBody: {
    required: false,
    content: bodyContent(
      { type: 'object', description: 'Where the browser goes at the end.', properties: { returnTo } },
      { returnTo: '/' },
    ),
  },
  responses: {
    '200': answer('Where to send the browser.', ['Set-Cookie'], jsonContent(refTo('schemas', 'LogInAddress'))),
    ...errorsFor([...always, 'unauthenticated', 'forbidden', 'not-found', 'bad-gateway']),
  },
}

function callbackResponses(): Node {
  const refusals = errorsFor([...always, 'unauthenticated', 'forbidden', 'not-found', 'conflict', 'bad-gateway'])
  const found: Node = { oneOf: [refTo('schemas', 'TokenPair'), refTo('schemas', 'LogInStep')] }
  return {
    '200': answer('Both tokens, or the next step, for programs.', ['Set-Cookie'], jsonContent(found)),
    '303': answer('On to the page that asked, for browsers.', ['Set-Cookie']),
    ...refusals,
  }
}

const callback: Node = {
  operationId: 'endLogIn',
  ...notForModels,
  tags,
  summary: 'Come back from a provider',
  description:
    'Browsers call it, in the name of the provider, with what it adds to the address. They get a page where others get an error.',
  security: [],
  responses: callbackResponses(),
}

const byForm: Node = {
  operationId: 'endLogInByForm',
  ...notForModels,
  tags,
  summary: 'Come back from a provider that answers by a form',
  security: [],
  requestBody: {
    required: true,
    content: {
      'application/x-www-form-urlencoded': { schema: freeObject('As the provider says.') },
    },
  },
  responses: { '303': answer('The same as an address.', []), ...errorsFor(always) },
}

function oidcPaths(names: readonly string[], link: Node): readonly NamedNode[] {
  const parameters = [providerParameter(names)]
  const at = (path: string, operations: Node): NamedNode => [
    `${apiPrefix}/auth/oidc${path}`,
    { 'x-also-at': [`/auth/oidc${path}`], ...operations },
  ]
  return [
    at('', { get: list }),
    at('/link', { post: link }),
    at('/{provider}', { parameters, get: start, post: startLink }),
    at('/{provider}/callback', { parameters, get: callback, post: byForm }),
  ]
}

const jwks: NamedNode = [
  '/.well-known/jwks.json',
  {
    get: {
      operationId: 'publicKeys',
      ...notForModels,
      tags,
      summary: 'The public keys of access tokens',
      security: [],
      responses: {
        '200': answer(
          'A JSON Web Key Set (RFC 7517).',
          ['ETag'],
          jsonContent(
            {
              type: 'object',
              description: 'The keys.',
              required: ['keys'],
              properties: { keys: { type: 'array', maxItems: 10, items: {}, description: 'The keys.' } },
            },
            'application/jwk-set+json',
          ),
        ),
        '304': answer('The copy is still right.', ['ETag']),
        ...errorsFor(['internal']),
      },
    },
  },
]

/** Empty parts where nothing of it is configured, or nobody logs in. */
export function federationParts({ login, factor }: Catalog, { oidcProviders = [], publishesKeys }: Settings) {
  const isOidc = login !== undefined && oidcProviders.length > 0
  return {
    schemas: isOidc ? schemas : nodesOf([]),
    paths: [
      ...(isOidc ? oidcPaths(oidcProviders, linkWith(factor ? byFactor : {})) : []),
      ...(login && publishesKeys ? [jwks] : []),
    ],
  }
}
