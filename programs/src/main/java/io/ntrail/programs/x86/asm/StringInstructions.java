package io.ntrail.programs.x86.asm;

/** String instructions: on memory at esi and edi, or rsi and rdi. */
interface StringInstructions extends Instructions {
  default Assembler movsb() {
    return op("MOVSB");
  }

  default Assembler movsw() {
    return op("MOVSW");
  }

  default Assembler movsd() {
    return op("MOVSD");
  }

  default Assembler movsq() {
    return op("MOVSQ");
  }

  default Assembler cmpsb() {
    return op("CMPSB");
  }

  default Assembler cmpsw() {
    return op("CMPSW");
  }

  default Assembler cmpsd() {
    return op("CMPSD");
  }

  default Assembler cmpsq() {
    return op("CMPSQ");
  }

  default Assembler stosb() {
    return op("STOSB");
  }

  default Assembler stosw() {
    return op("STOSW");
  }

  default Assembler stosd() {
    return op("STOSD");
  }

  default Assembler stosq() {
    return op("STOSQ");
  }

  default Assembler lodsb() {
    return op("LODSB");
  }

  default Assembler lodsw() {
    return op("LODSW");
  }

  default Assembler lodsd() {
    return op("LODSD");
  }

  default Assembler lodsq() {
    return op("LODSQ");
  }

  default Assembler scasb() {
    return op("SCASB");
  }

  default Assembler scasw() {
    return op("SCASW");
  }

  default Assembler scasd() {
    return op("SCASD");
  }

  default Assembler scasq() {
    return op("SCASQ");
  }

  default Assembler cld() {
    return op("CLD");
  }

  default Assembler std() {
    return op("STD");
  }
}
