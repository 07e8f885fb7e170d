/** The catalogue. Anyone may read it, editors maintain it. */
import {
  anyone,
  apiKey,
  atLeast,
  atMost,
  boolean,
  defineResource,
  equals,
  id,
  image,
  integer,
  isTrue,
  money,
  role,
  text,
  timestamp,
} from 'bindery-server'

export const products = defineResource({
  name: 'product',
  description:
    'Something that the shop sells. Its stock may be counted, and then it is in stock as long as some is left.',
  path: '/products',
  fields: {
    id: id(),
    name: text({ required: true, description: 'What it is called in the catalogue.', example: 'Desk lamp' }),
    description: text({ description: 'What a buyer should know about it.', example: 'Warm light, made of brass.' }),
    category: text({ description: 'The part of the catalogue that it stands in.', example: 'Lighting' }),
    inStock: boolean({
      default: true,
      description: 'Whether it can be bought now. It follows `stock` where that is counted.',
    }),
    stock: integer({ min: 0, description: 'How many are left; null where nobody counts.', example: 12 }),
    price: money({ required: true, min: 0, description: 'The price of one.', example: 19.99 }),
    // Clients that know the other fields alone get what they always got.
    image: image({
      returned: 'request',
      maxBytes: '5 MB',
      variants: { thumb: { width: 160, height: 160, fit: 'cover' } },
      description: 'A picture of it.',
    }),
    createdAt: timestamp({ setOn: 'create' }),
    updatedAt: timestamp({ setOn: 'write' }),
  },
  onWrite: { inStock: (product) => (product.stock === null ? product.inStock : product.stock > 0) },
  list: {
    style: 'page',
    sortable: ['id', 'name', 'category', 'stock', 'price', 'createdAt', 'updatedAt'],
    defaultSort: '-createdAt',
    filters: {
      category: equals('category', { example: 'Lighting' }),
      inStock: isTrue('inStock'),
      minPrice: atLeast('price', { description: 'Only products that cost this or more.', example: 10 }),
      maxPrice: atMost('price', { description: 'Only products that cost this or less.', example: 50 }),
    },
    search: ['name', 'description', 'category'],
    bulk: true,
  },
  access: {
    list: anyone,
    get: anyone,
    create: role('EDITOR'),
    replace: role('EDITOR'),
    update: role('EDITOR'),
    delete: role('EDITOR'),
    import: apiKey(role('EDITOR')),
    export: apiKey(role('EDITOR')),
  },
  children: { reviews: { resource: 'review', by: 'productId' } },
  display: {
    label: { en: 'Product', de: 'Produkt' },
    plural: { en: 'Products', de: 'Produkte' },
    title: 'name',
    columns: ['name', 'image', 'category', 'price', 'stock', 'inStock', 'updatedAt'],
    groups: { Stock: ['stock', 'inStock'], Times: ['createdAt', 'updatedAt'] },
    widgets: { description: 'longText' },
  },
})
