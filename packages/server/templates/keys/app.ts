/** The resources that `bindery` serves. One that is not in this list is not served. */
import { accounts, defineResources, operator } from 'bindery-server'
import { projects } from './resources/projects.ts'
import { tasks } from './resources/tasks.ts'

/** The users who own keys. Operators create keys, over the API or by `bindery key create`. */
const people = accounts({ roles: ['USER', 'EDITOR', 'ADMIN'], keys: { access: { create: operator } } })

export const resources = defineResources([projects, tasks, ...people])
