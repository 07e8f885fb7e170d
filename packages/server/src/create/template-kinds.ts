/**
 * The kinds of applications that can be created. Each consists of layers of templates; a later
 * layer replaces files of an earlier one.
 */
export const templateKinds = {
  users: {
    label: 'Projects and tasks; people sign up and log in',
    about: 'projects and their tasks. Anyone reads, people who log in write.',
    layers: ['base', 'tasks', 'people', 'users'],
  },
  keys: {
    label: 'Projects and tasks; only programs with an API key',
    about: 'projects and their tasks, for programs that have an API key.',
    layers: ['base', 'tasks', 'people', 'keys'],
  },
  open: {
    label: 'Projects and tasks; open to anyone who reaches it',
    about: 'projects and their tasks, open to anyone.',
    layers: ['base', 'tasks', 'open'],
  },
  shop: {
    label: 'The whole shop that Bindery ships with, to be cut down',
    about: 'books, products, reviews, users, carts, orders, posts and messages.',
    layers: ['base', 'shop'],
  },
} as const

export type TemplateKind = keyof typeof templateKinds

export const templateKindNames = Object.keys(templateKinds) as TemplateKind[]

export function isTemplateKind(text: string): text is TemplateKind {
  return Object.hasOwn(templateKinds, text)
}
