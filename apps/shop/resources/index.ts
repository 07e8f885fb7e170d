/** The list of resources that the shop serves. A resource that is not in it is not served. */
import { accounts, defineResources } from 'bindery-server'
import { books } from './books.ts'
import { cartItems } from './cart-items.ts'
import { carts } from './carts.ts'
import { messages } from './messages.ts'
import { orderItems } from './order-items.ts'
import { orders } from './orders.ts'
import { posts } from './posts.ts'
import { products } from './products.ts'
import { reviews } from './reviews.ts'
import { users } from './users.ts'

export const resources = defineResources([
  books,
  products,
  reviews,
  ...accounts({ roles: ['USER', 'EDITOR', 'ADMIN'], users, keys: true }),
  carts,
  cartItems,
  orders,
  orderItems,
  posts,
  messages,
])
