// All of these stand on the description of a property, which the language does not have: it refuses to give one.
function verifyProperty(holder, name) {
  Object.getOwnPropertyDescriptor(holder, name);
}
const verifyEqualTo = (holder, name, value) => assert.sameValue(holder[name], value);
const verifyWritable = verifyProperty;
const verifyNotWritable = verifyProperty;
const verifyEnumerable = verifyProperty;
const verifyNotEnumerable = verifyProperty;
const verifyConfigurable = verifyProperty;
const verifyNotConfigurable = verifyProperty;
