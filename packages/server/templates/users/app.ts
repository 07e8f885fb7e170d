/** What `bindery` serves: a resource that is not named here does not exist. */
import { accounts, defineResources } from 'bindery-server'
import { projects } from './resources/projects.ts'
import { tasks } from './resources/tasks.ts'
import { users } from './resources/users.ts'

/** Sessions, second factors, recovery by mail, log-ins by others and an audit come with them. */
const people = accounts({ roles: ['USER', 'EDITOR', 'ADMIN'], users })

export const resources = defineResources([projects, tasks, ...people])
