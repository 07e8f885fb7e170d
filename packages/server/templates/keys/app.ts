/** What `bindery` serves: a resource that is not named here does not exist. */
import { accounts, defineResources, operator } from 'bindery-server'
import { projects } from './resources/projects.ts'
import { tasks } from './resources/tasks.ts'

/** Whom keys belong to. Operators make keys, here or by `bindery key create`. */
const people = accounts({ roles: ['USER', 'EDITOR', 'ADMIN'], keys: { access: { create: operator } } })

export const resources = defineResources([projects, tasks, ...people])
