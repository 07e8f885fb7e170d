/**
 * The route `POST /auth/console-code`: the console logs in by the code in the address that the
 * start printed.
 */
import { bodyShape } from '../../endpoint/body-shape.ts'
import { defineRoute, type RouteGroup } from '../../endpoint/define-route.ts'
import { documentedResponse } from '../../endpoint/documented-response.ts'
import { openAccess, type RouteContext } from '../../endpoint/route-access.ts'
import { sentText } from '../../endpoint/route-fields.ts'
import { forbidden } from '../../policy/judge.ts'
import { isOwnAddress } from '../../settings/network-settings.ts'
import { atAuth, authWords, counted, emailExample, passwordExample, tokenPair } from '../sessions/auth-texts.ts'
import type { CookieOptions } from '../sessions/cookies/refresh-cookie.ts'
import { clientOf } from '../sessions/request-client.ts'
import { answerLogIn } from '../sessions/session-response.ts'
import type { CheckPassword } from './accept-invitation.ts'
import type { ConsoleCodes } from './console-code.ts'

export type ConsoleCodeRouteDeps = CookieOptions & {
  readonly consoleCodes: ConsoleCodes
  readonly checkPassword: CheckPassword
}

const logInByCode = defineRoute({
  method: 'POST',
  ...atAuth('/console-code'),
  describe: {
    id: 'logInByConsoleCode',
    ...authWords,
    summary: 'Log in by the code that the start printed',
    about:
      'From the same machine alone, once, within 15 minutes. The code of a new folder takes over the first account: it needs `email` and `password`, which become those of the account.',
  },
  rule: openAccess,
  limits: counted,
  ignoresDryRun: true,
  input: bodyShape('The code, and what the first account is to have.', {
    code: sentText({ required: true, maxLength: 400, cut: true, description: 'The code of the address.' }),
    email: sentText({ maxLength: 1000, cut: true, description: 'The address of the first account.' }),
    password: sentText({
      format: 'password',
      maxLength: 1024,
      writeOnly: true,
      cut: true,
      description: 'The password of the first account.',
    }),
  }),
  example: { code: 'the code of the address', email: emailExample, password: passwordExample },
  output: { 200: documentedResponse('Both tokens.', { headers: ['Set-Cookie'], body: tokenPair }) },
  errors: ['bad-request', 'unauthenticated', 'forbidden', 'conflict'],
  async run({ input: { code, email, password }, request }, needs: ConsoleCodeRouteDeps) {
    if (!isOwnAddress(request.address)) throw forbidden('Open the console on the machine of the service')
    const chosen = { email: email || undefined, password: password || undefined, check: needs.checkPassword }
    return answerLogIn(needs, request, await needs.consoleCodes.enter(code, chosen, clientOf(request)))
  },
})

/** Empty where there is no console. */
export function consoleCodeRoutes({ catalog, settings }: RouteContext): RouteGroup<ConsoleCodeRouteDeps> {
  return catalog.login && settings.consolePath !== undefined ? { routes: [logInByCode] } : { routes: [] }
}
