import type { Helper } from '../../helper.ts';

/** What classes are made of in a program; see declarations.ts. */
export const classHelpers: Helper[] = [
  {
    name: 'class',
    code: ({ reordersMaps }) => `const __ms_records = new Map();
const __ms_classOf = new Map();
const __ms_secrets = new Map();
function __ms_class(value, parent, describe) {
  if (parent !== undefined && typeof parent !== 'function') throw new TypeError('Class extends value is not a constructor or null');
  const record = { value, parent };
  Object.assign(record, describe(record));
  __ms_records.set(value, record);
  for (const name of Object.keys(record.staticPrivates)) __ms_own(value)[name] = record.staticPrivates[name];
  return value;
}
function __ms_setUp(value) {
  const { setUp } = __ms_records.get(value);
  if (setUp !== undefined) setUp.call(value);
  return value;
}
function __ms_instance(target, record) {
  const self = {};
  __ms_classOf.set(self, target);
  __ms_prepare(self, record);
  return self;
}
function __ms_prepare(self, record) {
  for (const name of Object.keys(record.privates)) __ms_own(self)[name] = record.privates[name];
  if (record.fields !== undefined) record.fields.call(self);
}
function __ms_construct(record, target, args) {
  if (record.make !== undefined) {
    const made = record.make(target, ...args);
    if (made === undefined) throw new ReferenceError("Must call super constructor in derived class before accessing 'this' or returning from derived constructor");
    return made;
  }
  if (record.parent === undefined) return __ms_instance(target, record);
  return __ms_superNew(record, target, ...args);
}
function __ms_superNew(record, target, ...args) {
  const parent = __ms_records.get(record.parent);
  let self;
  if (parent !== undefined) self = __ms_construct(parent, target, args);
  else {
    self = new record.parent(...args);
    __ms_classOf.set(self, target);
  }
  __ms_prepare(self, record);
  return self;
}
function __ms_new(value, ...args) {
  const record = __ms_records.get(value);
  if (record !== undefined) return __ms_construct(record, record, args);
  if (__ms_isNative(value)) return new value(...args);
  // An arrow function has none.
  if (typeof value !== 'function' || value.prototype === undefined) throw new TypeError('The value is not a constructor');
  const self = {};
  __ms_classOf.set(self, { value, methods: value.prototype ?? {}, getters: {}, setters: {}, privates: {} });
  const made = value.apply(self, args);
  return typeof made === 'object' && made !== null ? made : self;
}
function __ms_isNative(value) {
  return [Date, Map, Set, Array, Object, RegExp, Promise, Error, TypeError, RangeError, SyntaxError, ReferenceError, String, Number, Boolean].includes(value);
}
function __ms_own(self) {
  let own = __ms_secrets.get(self);
  if (own === undefined) { own = {}; __ms_secrets.set(self, own); }
  return own;
}
function __ms_ownOf(self) {
  const own = __ms_secrets.get(self);
  if (own === undefined) throw new TypeError('Cannot read private member from an object whose class did not declare it');
  return own;
}
function __ms_hasOwn(self, name) { return __ms_secrets.get(self)?.[name] !== undefined || (__ms_secrets.has(self) && name in __ms_secrets.get(self)); }
function __ms_callOwn(self, name, ...args) { return __ms_ownOf(self)[name].call(self, ...args); }
function __ms_inherited(record, part, name) {
  for (let at = record; at !== undefined; at = at.parent === undefined ? undefined : __ms_records.get(at.parent)) {
    if (Object.hasOwn(at[part], name)) return at[part][name];
  }
  return undefined;
}
function __ms_get(object, name, isOptional) {
  if (isOptional && (object === null || object === undefined)) return undefined;
  if ((typeof object !== 'object' && typeof object !== 'function') || object === null) return object[name];
  const record = __ms_classOf.get(object);
  if (record !== undefined) {
    if (record.isOwn) {
      const own = Object.hasOwn(object, name) && object[name] === __ms_accessor;
      return !own ? object[name] : Object.hasOwn(record.getters, name) ? record.getters[name].call(object) : undefined;
    }
    if (Object.hasOwn(object, name)) return object[name];
    const getter = __ms_inherited(record, 'getters', name);
    if (getter !== undefined) return getter.call(object);
    if (name === 'constructor') return record.value;
    return __ms_inherited(record, 'methods', name) ?? object[name];
  }
  const own = __ms_records.get(object);
  if (own === undefined) return object[name];
  const getter = __ms_inherited(own, 'staticGetters', name);
  if (getter !== undefined) return getter.call(object);
  for (let at = own; at !== undefined; at = at.parent === undefined ? undefined : __ms_records.get(at.parent)) {
    if (Object.hasOwn(at.value, name)) return at.value[name];
    if (Object.hasOwn(at.statics, name)) return at.statics[name];
  }
  return object[name];
}
function __ms_accessor() { throw new TypeError('an accessor is read by its name only'); }
function __ms_accessors(object, getters, setters) {
  __ms_classOf.set(object, { isOwn: true, getters, setters, methods: {} });
  return object;
}
function __ms_plain(object) {
  if (typeof object !== 'object' || object === null || __ms_classOf.get(object)?.isOwn !== true) return __ms_spreadable(object);
  const made = {};
  for (const name of Object.keys(object)) made[name] = __ms_get(object, name);
  return made;
}
function __ms_set(object, name, value) {
  const record = __ms_classOf.get(object);
  const setter = record === undefined ? undefined : __ms_inherited(record, 'setters', name);
  if (setter !== undefined) { setter.call(object, value); return value; }
  if (record !== undefined && record.isOwn && object[name] === __ms_accessor) return value;
  if (record !== undefined && __ms_inherited(record, 'getters', name) !== undefined) throw new TypeError('Cannot set property ' + name + ' which has only a getter');
  const own = __ms_records.get(object);
  const staticSetter = own === undefined ? undefined : __ms_inherited(own, 'staticSetters', name);
  if (staticSetter !== undefined) { staticSetter.call(object, value); return value; }
  object[name] = value;
  return value;
}
function __ms_update(object, name, step, isPrefix) {
  const before = Number(__ms_get(object, name));
  __ms_set(object, name, before + step);
  return isPrefix ? before + step : before;
}
function __ms_call(object, name, ...args) {
  const isOurs = object !== null && object !== undefined && (__ms_classOf.has(object) || __ms_records.has(object));
  if (!isOurs) return ${reordersMaps ? '__ms_mapCall(object, name, args)' : 'object[name](...args)'};
  const method = __ms_get(object, name);
  if (typeof method === 'function') return method.call(object, ...args);
  return object[name](...args);
}
function __ms_callOr(otherwise, object, name, ...args) {
  const isOurs = object !== null && object !== undefined && (__ms_classOf.has(object) || __ms_records.has(object));
  return isOurs ? __ms_call(object, name, ...args) : otherwise(object, ...args);
}
function __ms_superMember(record, name, self) {
  const found = __ms_superGet(record, name, self);
  if (typeof found !== 'function') throw new TypeError('(intermediate value).' + name + ' is not a function');
  return found;
}
function __ms_superGet(record, name, self) {
  const isStatic = __ms_records.has(self);
  if (isStatic) return record.parent === undefined ? undefined : __ms_get(record.parent, name);
  const parent = __ms_records.get(record.parent);
  if (parent === undefined) return self[name] === undefined ? undefined : (...args) => self[name](...args);
  const getter = __ms_inherited(parent, 'getters', name);
  return getter !== undefined ? getter.call(self) : __ms_inherited(parent, 'methods', name);
}
function __ms_in(name, object) {
  const key = __ms_key(name);
  if (key in object) return true;
  const record = __ms_classOf.get(object);
  if (record !== undefined && record.isOwn !== true) return key === 'constructor' || ['getters', 'setters', 'methods'].some((part) => __ms_inherited(record, part, key) !== undefined);
  return __ms_records.has(object) && __ms_get(object, key) !== undefined;
}
function __ms_jsonable(value, key, seen = []) {
  if (typeof value !== 'object' || value === null) return value;
  const record = __ms_classOf.get(value);
  if (record !== undefined && record.isOwn !== true) {
    const toJson = __ms_get(value, 'toJSON');
    if (typeof toJson === 'function') return __ms_jsonable(toJson.call(value, key), key, seen);
  } else if (typeof value.toJSON === 'function') return value;
  if (seen.includes(value)) return value;
  const above = [...seen, value];
  if (Array.isArray(value)) return value.map((item, at) => __ms_jsonable(item, String(at), above));
  if (value instanceof Map || value instanceof Set || value instanceof RegExp || value instanceof Error) return value;
  const made = {};
  for (const name of Object.keys(value)) made[name] = __ms_jsonable(__ms_get(value, name), name, above);
  return made;
}
function __ms_stringify(value, replacer, space) {
  if (typeof replacer === 'function') __ms_refuse('JSON.stringify with a function and with instances of classes that have toJSON is not supported: convert them first');
  return JSON.stringify(__ms_jsonable(value, ''), replacer, space);
}
function __ms_instanceOf(value, type) {
  const record = __ms_records.get(type);
  const own = (typeof value === 'object' || typeof value === 'function') && value !== null ? __ms_classOf.get(value) : undefined;
  if (record === undefined) return own !== undefined && own.value === type ? true : typeof type === 'function' && !__ms_isNative(type) ? false : value instanceof type;
  for (let at = own; at !== undefined; at = at.parent === undefined ? undefined : __ms_records.get(at.parent)) if (at === record) return true;
  return false;
}`,
  },
];
