/**
 * The table of sessions: one row for each log-in. Deleting one ends it: its tokens stop working at
 * once.
 */
import { endOtherSessions } from '../../resource/accounts/credential-actions.ts'
import { engineTable } from '../../resource/accounts/engine-table.ts'
import { defineResource } from '../../resource/define.ts'
import { id } from '../../resource/fields/id.ts'
import { reference } from '../../resource/fields/reference.ts'
import { text } from '../../resource/fields/text.ts'
import { timestamp } from '../../resource/fields/times/timestamp.ts'
import { currentSession, derived } from '../../resource/fields/virtual.ts'
import { deviceName } from '../../resource/words/device-name.ts'
import { owned } from '../owned.ts'

/** `users`: the name of the resource of users. */
export function sessionTable<const N extends string>(users: N) {
  const declared = defineResource({
    name: 'session',
    description: 'A log-in on one device. Deleting it ends it: its tokens stop working at once.',
    path: '/sessions',
    fields: {
      id: id(),
      userId: reference(users, { readOnly: true, onDelete: 'delete' }),
      userAgent: text({
        readOnly: true,
        maxLength: 300,
        description: 'The program that logged in, as it calls itself.',
        example: 'curl/8.9.1',
      }),
      device: derived(text({ description: 'The usual name of that device.', example: 'Firefox on Linux' }), (session) =>
        deviceName(session.userAgent),
      ),
      address: text({
        readOnly: true,
        maxLength: 100,
        description: 'The network address that it logged in from.',
        example: '203.0.113.7',
      }),
      place: text({ readOnly: true, maxLength: 100, description: 'Where that is, as the proxy says.', example: 'NL' }),
      current: currentSession(),
      createdAt: timestamp({ setOn: 'create' }),
      lastUsedAt: timestamp({
        readOnly: true,
        required: true,
        description: 'When it was last used, to the minute or so.',
      }),
      expiresAt: timestamp({ readOnly: true, required: true, description: 'When it ends, whatever happens.' }),
      factorAt: timestamp({ readOnly: true, hidden: true }),
    },
    list: { style: 'page', sortable: ['id', 'createdAt', 'lastUsedAt', 'expiresAt'], defaultSort: '-createdAt' },
    display: { title: 'device' },
    access: { list: owned, get: owned, delete: owned, endOthers: owned },
    actions: { endOthers: endOtherSessions },
  })
  const mark = {
    kind: 'session',
    owner: 'userId',
    expiresAt: 'expiresAt',
    lastUsedAt: 'lastUsedAt',
    userAgent: 'userAgent',
    address: 'address',
    place: 'place',
    factorAt: 'factorAt',
  } as const
  return engineTable(declared, mark, { letsIn: true })
}
