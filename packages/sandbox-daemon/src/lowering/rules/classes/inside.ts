import { Refusal } from '../../rewriter.ts';
import type { Rule } from '../../rule.ts';
import { memberName, unwrap, type AnyNode } from '../../syntax.ts';

export const thisInConstructor: Rule = {
  id: 'class-this',
  on: ['ThisExpression', 'ReturnStatement'],
  rewrite(node, rewriter) {
    if (!rewriter.classes.isInConstructor) return false;
    if (node.type === 'ThisExpression') {
      rewriter.output.write('__ms_this', node);
      return true;
    }
    if (node.type !== 'ReturnStatement' || node.argument || !rewriter.classes.isDirectlyInConstructor) return false;
    rewriter.output.write('return __ms_this;', node);
    return true;
  },
};

export const superRule: Rule = {
  id: 'class-super',
  on: ['CallExpression', 'MemberExpression'],
  rewrite(node, rewriter) {
    const self = rewriter.classes.isInConstructor ? '__ms_this' : 'this';
    if (node.type === 'CallExpression' && node.callee.type === 'Super') {
      rewriter.output.write(`(__ms_this = ${rewriter.helper('superNew')}(${rewriter.classes.id}, __ms_target`, node);
      for (const argument of node.arguments) rewriter.write(node, ', ', argument);
      rewriter.output.write('))', node);
      return true;
    }
    if (
      node.type === 'CallExpression' &&
      node.callee.type === 'MemberExpression' &&
      node.callee.object.type === 'Super'
    ) {
      const name = memberName(node.callee);
      if (name === undefined) throw new Refusal('super[…] is not supported: name the method', node);
      rewriter.output.write(
        `${rewriter.helper('superMember')}(${rewriter.classes.id}, ${JSON.stringify(name)}, ${self}).call(${self}`,
        node,
      );
      for (const argument of node.arguments) rewriter.write(node, ', ', argument);
      rewriter.output.write(')', node);
      return true;
    }
    if (node.type === 'MemberExpression' && node.object.type === 'Super') {
      const name = memberName(node);
      if (name === undefined) throw new Refusal('super[…] is not supported: name the member', node);
      rewriter.output.write(
        `${rewriter.helper('superGet')}(${rewriter.classes.id}, ${JSON.stringify(name)}, ${self})`,
        node,
      );
      return true;
    }
    return false;
  },
};

export const privates: Rule = {
  id: 'class-private',
  on: ['CallExpression', 'MemberExpression', 'BinaryExpression'],
  rewrite(node, rewriter) {
    if (node.type === 'BinaryExpression') {
      if ((node.left as AnyNode).type !== 'PrivateIdentifier') return false;
      const name = rewriter.classes.privateName(node.left);
      rewriter.write(node, `${rewriter.helper('hasOwn')}(`, node.right, `, '${name}')`);
      return true;
    }
    if (node.type === 'CallExpression') {
      const { callee } = node;
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'PrivateIdentifier') return false;
      if (callee.optional || node.optional) throw new Refusal('a private method is called without ?. here', node);
      rewriter.write(
        node,
        `${rewriter.helper('callOwn')}(`,
        callee.object,
        `, '${rewriter.classes.privateName(callee.property)}'`,
      );
      for (const argument of node.arguments) rewriter.write(node, ', ', argument);
      rewriter.output.write(')', node);
      return true;
    }
    if (node.type !== 'MemberExpression' || node.property.type !== 'PrivateIdentifier') return false;
    rewriter.write(
      node,
      `${rewriter.helper('ownOf')}(`,
      node.object,
      `).${rewriter.classes.privateName(node.property)}`,
    );
    return true;
  },
};

export const construction: Rule = {
  id: 'class-new',
  on: ['NewExpression', 'MetaProperty'],
  rewrite(node, rewriter) {
    if (node.type === 'MetaProperty') {
      if (rewriter.source.slice(node.start, node.end) !== 'new.target' || !rewriter.classes.isInConstructor)
        return false;
      rewriter.output.write('__ms_target.value', node);
      return true;
    }
    if (node.type !== 'NewExpression') return false;
    const callee = unwrap(node.callee);
    if (callee.type === 'Identifier' && !rewriter.facts.declared.has(callee.name)) return false;
    rewriter.write(node, `${rewriter.helper('new')}(`, node.callee);
    for (const argument of node.arguments) rewriter.write(node, ', ', argument);
    rewriter.output.write(')', node);
    return true;
  },
};
