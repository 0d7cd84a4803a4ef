package io.ntrail.programs.x86.asm.operands;

/** A vector register; as an index it has an address in each of its elements. */
public sealed interface VectorRegister extends RegisterOperand permits Xmm, Ymm, Zmm {}
