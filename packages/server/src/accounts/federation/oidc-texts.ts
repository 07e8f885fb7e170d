/** The shapes of requests and responses about log-ins by other issuers. */

import { bodyShape } from '../../endpoint/body-shape.ts'
import { sentText, value } from '../../endpoint/route-fields.ts'
import { currentPassword } from '../../resource/accounts/credentials.ts'
import type { JsonSchema } from '../../resource/fields/field.ts'
import { passkey } from '../factors/factor-texts.ts'

export const providerNames = bodyShape(
  'The providers that people may log in by.',
  {
    providers: value<readonly string[]>()(
      { type: 'array', maxItems: 100, items: { type: 'string', maxLength: 31 }, description: 'Their names.' },
      { required: true },
    ),
  },
  { name: 'LogInProviders' },
)
export const logInAddress = bodyShape(
  'Where to send the browser.',
  { location: sentText({ required: true, maxLength: 8000, description: 'An address of the provider.' }) },
  { name: 'LogInAddress' },
)
export const logInStep = bodyShape(
  'The account has to say yes.',
  {
    next: value<'link'>()({ const: 'link', description: 'Always `link`.' }, { required: true }),
    ticket: sentText({ required: true, maxLength: 4000, description: 'For `/auth/oidc/link`, for ten minutes.' }),
  },
  { name: 'LogInStep' },
)
export const linkedLogIn = bodyShape(
  'The log-in belongs to the account.',
  {
    id: value<unknown>()(
      { type: ['string', 'integer'], maxLength: 100, description: 'The record of it.' },
      { required: true },
    ),
  },
  { name: 'LinkedLogIn' },
)
export const oidcShapes = [providerNames, logInAddress, logInStep, linkedLogIn]

/** The member with the ticket of a passkey: `ticket` is that of the log-in. */
export const challengeTicket = 'passkeyTicket'

/** An account that has factors consents with this instead. */
const byFactor = {
  code: sentText({ description: 'Six digits of the app.' }),
  recoveryCode: sentText({ description: 'One of the recovery codes.' }),
  passkey,
  [challengeTicket]: sentText({ description: 'Of the challenge of the passkey.' }),
}
const confirmed = {
  ticket: sentText({ required: true, maxLength: 4000, description: 'Of the log-in.' }),
  [currentPassword]: sentText({ format: 'password', maxLength: 1024, description: 'That of the account.' }),
}
const whole = bodyShape('The log-in that is confirmed, and the proof.', { ...confirmed, ...byFactor })

/** Without factors their members do not exist. */
export const linkBody = { withFactors: whole, withoutFactors: { ...whole, whole: bodyShape(whole.about, confirmed) } }

export const returnToSchema: JsonSchema = {
  type: 'string',
  maxLength: 1000,
  description: 'A path here, or an address of `CORS_ORIGINS`.',
}
