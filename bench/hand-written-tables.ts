/**
 * The tables of the hand-written routes, as a good engineer declares them who knows the queries.
 * The rowid grows with the time of creation. Each sort has an index, alone and within a category.
 * Full-text search has prefixes.
 */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'

type Values = Readonly<Record<string, unknown>>

export function createTables(database: DatabaseSync): void {
  database.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE users (id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT, role TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT NOT NULL, author TEXT NOT NULL, year INTEGER NOT NULL);
    CREATE TABLE messages (
      row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, sender_id TEXT NOT NULL, recipient_id TEXT NOT NULL,
      text TEXT NOT NULL, created_at TEXT NOT NULL
    );
    CREATE TABLE products (
      row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, description TEXT, category TEXT,
      in_stock INTEGER NOT NULL, stock INTEGER, price INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
    );`)
}

/** After the rows: the statistics are of the full tables then. */
export function createIndexes(database: DatabaseSync): void {
  const sorts = ['name', 'stock', 'price', 'created_at', 'updated_at']
  database.exec(`
    CREATE INDEX messages_sender ON messages (sender_id, id);
    CREATE INDEX messages_recipient ON messages (recipient_id, id);
    CREATE INDEX products_category ON products (category, in_stock, id);
    ${sorts.map((sort) => `CREATE INDEX products_${sort} ON products (${sort}, id);`).join('\n')}
    ${sorts.map((sort) => `CREATE INDEX products_category_${sort} ON products (category, in_stock, ${sort}, id);`).join('\n')}
    CREATE VIRTUAL TABLE products_search USING fts5(
      name, description, category, content='products', content_rowid='row', tokenize='unicode61 remove_diacritics 2', prefix='2 3', detail=none
    );
    INSERT INTO products_search (products_search) VALUES ('rebuild');
    CREATE TRIGGER products_inserted AFTER INSERT ON products BEGIN
      INSERT INTO products_search (rowid, name, description, category) VALUES (new.row, new.name, new.description, new.category);
    END;
    CREATE TRIGGER products_changed AFTER UPDATE OF name, description, category ON products BEGIN
      INSERT INTO products_search (products_search, rowid, name, description, category)
        VALUES ('delete', old.row, old.name, old.description, old.category);
      INSERT INTO products_search (rowid, name, description, category) VALUES (new.row, new.name, new.description, new.category);
    END;
    CREATE VIRTUAL TABLE books_authors USING fts5(author, content='books', content_rowid='id', tokenize='trigram');
    INSERT INTO books_authors (books_authors) VALUES ('rebuild');
    ANALYZE;`)
}

const columns: Readonly<Record<string, readonly [table: string, ...fields: string[]]>> = {
  user: ['users', 'id', 'email', 'name', 'role'],
  book: ['books', 'id', 'title', 'author', 'year'],
  message: ['messages', '_id', 'senderId', 'recipientId', 'text', 'createdAt'],
  product: ['products', 'id', 'name', 'description', 'category', 'inStock', 'stock', 'price', 'createdAt', 'updatedAt'],
}

const columnOf = (field: string) =>
  field === '_id' ? 'id' : field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export function insertOf(database: DatabaseSync, name: string): (row: Values) => void {
  const [table, ...fields] = columns[name] as [string, ...string[]]
  const statement = database.prepare(
    `INSERT INTO ${table} (${fields.map(columnOf).join(', ')}) VALUES (${fields.map(() => '?').join(', ')})`,
  )
  const storedOf = (value: unknown) => (typeof value === 'boolean' ? Number(value) : value) as SQLInputValue
  return (row) => void statement.run(...fields.map((field) => storedOf(row[field])))
}
