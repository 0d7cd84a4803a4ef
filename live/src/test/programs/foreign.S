/* Functions that foreign.c patches before the program's first instruction. Each has its own room. */
#ifdef __x86_64__
#define SYMBOL(name) name
#else
#define SYMBOL(name) _##name
#endif
        .text
.macro function name
        .p2align 5
        .rept 16
        int3
        .endr
        .globl SYMBOL(\name)
        .def SYMBOL(\name); .scl 2; .type 32; .endef
        .section .drectve
        .ascii " -export:\name"
        .text
#ifdef __x86_64__
        .seh_proc \name
\name:
        .seh_endprologue
        leal 1(%rcx), %eax
        leal 10(%rax), %eax
        leal 100(%rax), %eax
        ret
        .seh_endproc
#else
_\name:
        leal 1(%eax), %eax
        leal 10(%eax), %eax
        leal 100(%eax), %eax
        ret
#endif
.endm
        function kept
        function jumped
        function changed
        function roomTaken
        function changedLater
