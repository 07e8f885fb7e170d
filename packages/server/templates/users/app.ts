/** The resources that `bindery` serves. One that is not in this list is not served. */
import { accounts, defineResources } from 'bindery-server'
import { projects } from './resources/projects.ts'
import { tasks } from './resources/tasks.ts'
import { users } from './resources/users.ts'

/** Sessions, second factors, recovery by mail, log-ins by others and an audit come with them. */
const people = accounts({ roles: ['USER', 'EDITOR', 'ADMIN'], users })

export const resources = defineResources([projects, tasks, ...people])
