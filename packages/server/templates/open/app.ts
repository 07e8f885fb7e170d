/** What `bindery` serves: a resource that is not named here does not exist. */
import { defineResources } from 'bindery-server'
import { projects } from './resources/projects.ts'
import { tasks } from './resources/tasks.ts'

export const resources = defineResources([projects, tasks])
