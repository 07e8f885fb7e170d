/** Books whose hooks meet faults, by the title of the book. */
import { ApiError } from '../../src/errors.ts'
import { anyone, defineResource, id, text } from '../../src/index.ts'

function fail(title: string): undefined {
  if (title === 'throws') throw new Error('boom')
  if (title === 'throws no error') throw 'boom'
  if (title === 'away') throw new ApiError('unavailable', 'The database cannot be reached, try again')
}

export const faultyBooks = defineResource({
  name: 'book',
  path: '/books',
  fields: { id: id(), title: text({ required: true }) },
  list: { style: 'page' },
  access: { list: anyone, get: anyone, create: anyone, update: anyone, import: anyone },
  hooks: {
    beforeCreate: ({ record }) => fail(record.title),
    beforeUpdate: ({ record }) => fail(record.title),
  },
})
