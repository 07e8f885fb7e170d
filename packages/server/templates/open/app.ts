/** What `bindery` serves: a resource that is not named here does not exist. */
import { projects } from './resources/projects.ts'
import { tasks } from './resources/tasks.ts'

export const resources = [projects, tasks]
