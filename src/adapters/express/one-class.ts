/**
 * Express gives each request and response another prototype. Before V8 13 (Node 24), each property that an object is given
 * after that makes a hidden class for this one object, and Express gives it several: no inline cache meets a class twice, and
 * from then on every look at a property, by whomever, is a search that begins anew. An object whose properties are kept in a
 * table shares its class with all others like it.
 */
const classesAreLost = Number.parseInt(process.versions.v8 ?? '', 10) < 13;

const passing = Symbol('portcullis.passing');

/** A property that is taken away again leaves nothing behind but a table. */
function keepAsTable(object: object): void {
  const table: { [passing]?: undefined } = object;
  table[passing] = undefined;
  delete table[passing];
}

/** Runs the middleware, and all that comes after it, on requests and responses of one hidden class each. */
export function onOneClass<Req extends object, Res extends object, Next>(
  middleware: (request: Req, response: Res, next: Next) => void,
): (request: Req, response: Res, next: Next) => void {
  if (!classesAreLost) return middleware;
  return (request, response, next) => {
    keepAsTable(request);
    keepAsTable(response);
    middleware(request, response, next);
  };
}
