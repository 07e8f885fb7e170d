/** Log-ins by other issuers (OIDC_PROVIDERS), and whose they are. Deleting one takes that way in away; the account stays. */
import { defineResource, either, id, operator, owner, reference, text, timestamp } from 'bindery-server'

const owned = either([owner('userId'), operator])

export const linkedAccounts = defineResource({
  name: 'linkedAccount',
  description: 'A log-in by another issuer, such as Google. Deleting it takes that way in away.',
  path: '/linked-accounts',
  fields: {
    id: id(),
    userId: reference('user', { readOnly: true, onDelete: 'delete' }),
    issuer: text({ readOnly: true, required: true, maxLength: 300 }),
    subject: text({ readOnly: true, required: true, maxLength: 255 }),
    createdAt: timestamp({ setOn: 'create' }),
  },
  unique: [['issuer', 'subject']],
  identity: { kind: 'linked-account', owner: 'userId', issuer: 'issuer', subject: 'subject' },
  list: { style: 'page', filterable: [] },
  access: { list: owned, get: owned, delete: owned },
})
