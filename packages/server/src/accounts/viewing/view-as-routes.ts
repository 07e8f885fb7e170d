/** The route `POST /auth/view-as`: the operator takes a token that shows what a user sees. */
import { bodyShape } from '../../endpoint/body-shape.ts'
import { defineRoute, type RouteGroup } from '../../endpoint/define-route.ts'
import { documentedResponse } from '../../endpoint/documented-response.ts'
import type { RouteContext } from '../../endpoint/route-access.ts'
import { sentText } from '../../endpoint/route-fields.ts'
import { operator } from '../../resource/rules/operator.ts'
import { accessToken, atAuth, authWords, counted, fresh } from '../sessions/auth-texts.ts'
import { originOf } from '../sessions/request-client.ts'
import { type ViewAs, viewerOf } from './view-as.ts'

export type ViewAsRouteDeps = { readonly viewAs: ViewAs }

const shown = { required: true, maxLength: 1000 } as const
const viewingToken = bodyShape('A token that shows what the user sees.', {
  accessToken,
  userId: sentText({ ...shown, description: 'The id of the user.' }),
  role: sentText({ ...shown, description: 'The role of the user.' }),
  email: sentText({ ...shown, description: 'The name by which the user logs in.' }),
})

const viewAs = defineRoute({
  method: 'POST',
  ...atAuth('/view-as'),
  describe: {
    id: 'viewAs',
    ...authWords,
    summary: 'See what a user sees',
    about:
      'A token that reads what this user may read, and does nothing else. It shows no keys, sessions or factors, and ends with your session. The audit records both ids. An operator is not viewed.',
  },
  rule: operator,
  limits: counted,
  input: bodyShape('The user.', {
    userId: sentText({ required: true, maxLength: 100, description: 'The id of the user.' }),
  }),
  example: { userId: '0197a4c2-7f00-7000-8000-000000000001' },
  output: { 200: documentedResponse('The token.', { body: viewingToken }) },
  errors: ['bad-request', 'unauthenticated', 'forbidden', 'not-found'],
  async run({ input: { userId }, caller, request }, needs: ViewAsRouteDeps) {
    const { user, accessToken } = await needs.viewAs.begin(viewerOf(caller), userId, originOf(request))
    const { userId: id, role, login: email } = user
    return { status: 200, headers: fresh, body: { accessToken, userId: id, role, email } }
  },
})

/** Empty where there are no users who log in. */
export function viewAsRoutes({ catalog }: RouteContext): RouteGroup<ViewAsRouteDeps> {
  return catalog.login ? { routes: [viewAs] } : { routes: [] }
}
