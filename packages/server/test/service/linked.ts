/** Log-ins by other issuers, for people who are declared beside it. */
import { defineResource, either, id, owner, reference, role, text, timestamp } from '../../src/index.ts'

const owned = either([owner('memberId'), role('ADMIN')])

export const links = defineResource({
  name: 'link',
  path: '/links',
  fields: {
    id: id(),
    memberId: reference('member', { readOnly: true, onDelete: 'delete' }),
    issuer: text({ readOnly: true, required: true, maxLength: 300 }),
    subject: text({ readOnly: true, required: true, maxLength: 255 }),
    createdAt: timestamp({ setOn: 'create' }),
  },
  unique: [['issuer', 'subject']],
  identity: { kind: 'linked-account', owner: 'memberId', issuer: 'issuer', subject: 'subject' },
  list: { style: 'page', filterable: [] },
  access: { list: owned, get: owned, delete: owned },
})
