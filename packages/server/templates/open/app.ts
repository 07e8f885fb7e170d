/** The resources that `bindery` serves. One that is not in this list is not served. */
import { defineResources } from 'bindery-server'
import { projects } from './resources/projects.ts'
import { tasks } from './resources/tasks.ts'

export const resources = defineResources([projects, tasks])
