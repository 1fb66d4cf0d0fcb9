import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commonPrefix, shortName } from '../src/page/joint_names.ts';

test('a prefix that all joints share is found', () => {
  assert.equal(
    commonPrefix(['mixamorig:Hips', 'mixamorig:Spine', 'mixamorig:Head', 'mixamorig:Neck']),
    'mixamorig:',
  );
});

test('some joints may lack the prefix', () => {
  const names = ['Armature', 'rig_Hips', 'rig_Spine', 'rig_Head', 'rig_Neck', 'rig_Arm'];
  assert.equal(commonPrefix(names), 'rig_');
  assert.deepEqual(
    names.slice(0, 2).map((name) => shortName(name, 'rig_')),
    ['Armature', 'Hips'],
  );
});

test('what is left is a name, not a number', () => {
  const names = [0, 1, 2, 3, 4].map((i) => `Character_armature_joint_${i}`);
  assert.equal(commonPrefix(names), 'Character_armature_');
});

test('names without a common prefix stay whole', () => {
  assert.equal(commonPrefix(['hips', 'spine', 'thigh.L', 'thigh.R']), '');
  assert.equal(commonPrefix(['left_arm', 'left_hand', 'right_arm', 'right_hand']), '');
  assert.equal(commonPrefix(['rig:a', 'rig:b']), '', 'too few joints');
});
