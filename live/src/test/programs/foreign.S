/* Functions that foreign.c patches before the program's first instruction. Each has its own room. */
        .text
.macro function name
        .p2align 5
        .rept 16
        int3
        .endr
        .globl \name
        .def \name; .scl 2; .type 32; .endef
        .section .drectve
        .ascii " -export:\name"
        .text
        .seh_proc \name
\name:
        .seh_endprologue
        leal 1(%rcx), %eax
        leal 10(%rax), %eax
        leal 100(%rax), %eax
        ret
        .seh_endproc
.endm
        function kept
        function jumped
        function changed
        function roomTaken
        function changedLater
