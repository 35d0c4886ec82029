function checkSequence(steps, message) {
  if (steps.some((step, at) => step !== at + 1)) harnessFail(`the steps ${steps.join()} out of order`, message);
  return true;
}
