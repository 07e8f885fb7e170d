/**
 * The engine's own paths, with what each is for. A resource whose path is one of them is refused
 * where both would answer one method. A test compares the list with the engine's routes.
 */

import { accountPaths } from '../accounts/account-words.ts'
import { type ServedPath, servePaths } from './reserve.ts'

export const servedPaths: readonly ServedPath[] = [
  ...servePaths('api', ['create'], { '/batch': 'batches of writes' }),
  ...servePaths('root', ['list', 'create'], { '/graphql': 'GraphQL' }),
  ...servePaths('root', ['create'], { '/mcp': 'the tools of agents' }),
  ...servePaths('root', ['list', 'get'], { '/console': 'the console' }),
  ...servePaths('root', ['get'], { '/assets/:file': 'files of the page at /' }),
  ...servePaths('root', ['list'], {
    '/docs': 'the API reference',
    '/errors': 'the page of error codes',
    '/livez': 'the health check of the process',
    '/readyz': 'the health check of the service',
    '/status': 'the status of the server',
  }),
  // An id never has the form of their second segment.
  ...servePaths('root', [], {
    '/': 'the index of the server',
    '/openapi.json': 'the OpenAPI document',
    '/.well-known/jwks.json': 'the public keys of tokens',
    '/console/assets/:file': 'files of the console',
    '/console/*': 'the console',
    '/docs/assets/:file': 'files of the API reference',
    '/graphql/assets/:file': 'files of GraphiQL',
    '/graphql/scalars': 'the page of scalars',
  }),
  ...accountPaths,
]
