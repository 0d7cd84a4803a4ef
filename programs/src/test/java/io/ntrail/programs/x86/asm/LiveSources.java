package io.ntrail.programs.x86.asm;

/**
 * The routines of live tracing as text for nasm, an instruction a line, beside those that are
 * written with the assembler. Names in capitals are given a value by the test.
 */
final class LiveSources {
  private LiveSources() {}

  /** A slot of 64-bit code. */
  static final String SLOT_64 =
      """
      C:
      lea rcx,[C+STRIDE]
      mov gs:[T_SLOT],rcx
      mov [BODY],rax
      mov [SAVE_RDX],rdx
      mov rcx,gs:[8]
      mov rdx,[NEG_BASE]
      lea rcx,[rcx+rdx]
      jrcxz same_stack
      jmp slow
      same_stack:
      mov rcx,rsp
      not rcx
      mov rdx,[LOWER_KEY]
      lea rax,[rcx+rdx-23]
      mov rcx,rax
      jrcxz equal
      cqo
      mov rcx,rdx
      jrcxz fresh
      jmp slow
      equal:
      lea rdx,[E-STRIDE]
      mov rcx,[rsp+16]
      not rcx
      lea rcx,[rcx+rdx+1]
      jrcxz tail
      slow:
      mov rax,[BODY]
      mov rcx,[P_SLOW]
      jmp rcx
      tail:
      mov rcx,[LOWER_TRUE_RIP]
      mov [TRUE_RIP],rcx
      mov rcx,[rsp+16]
      jmp go
      full1:
      call [P_FULL]
      jmp done1
      fresh:
      mov rcx,[rsp+16]
      mov [TRUE_RIP],rcx
      go:
      mov [RET],rcx
      lea rdx,[rsp+24]
      mov [KEY],rdx
      mov rcx,gs:[T_CUR]
      jrcxz done1
      mov [rcx+24],rdx
      rdtsc
      mov [rcx],eax
      mov [rcx+4],edx
      mov rax,[RET]
      mov [rcx+16],rax
      mov rax,[BODY]
      mov [rcx+8],eax
      mov eax,[META]
      mov [rcx+12],eax
      lea rcx,[rcx+32]
      mov gs:[T_CUR],rcx
      movzx ecx,cx
      jrcxz full1
      done1:
      mov rdx,[SAVE_RDX]
      mov rcx,[rsp]
      mov rax,[rsp+8]
      lea rsp,[rsp+24]
      call [BODY]
      E:
      push qword [RET]
      push rcx
      mov rcx,gs:[T_CUR]
      jrcxz done2
      mov [SAVE_RAX],rax
      mov [SAVE_RDX],rdx
      mov [rcx+16],rax
      rdtsc
      mov [rcx],eax
      mov [rcx+4],edx
      mov rax,[BODY]
      mov [rcx+8],eax
      lea rax,[rsp+16]
      mov [rcx+24],rax
      mov eax,[META]
      lea eax,[rax+1]
      mov [rcx+12],eax
      lea rcx,[rcx+32]
      mov gs:[T_CUR],rcx
      movzx ecx,cx
      jrcxz full2
      after2:
      mov rdx,[SAVE_RDX]
      mov rax,[SAVE_RAX]
      done2:
      lea rcx,[C]
      mov gs:[T_SLOT],rcx
      pop rcx
      ret
      full2:
      call [P_FULL]
      jmp after2
      """;

  /** A stub of 64-bit code. */
  static final String STUB_64 =
      """
      push rax
      push rcx
      lea rax,[body]
      mov rcx,gs:[T_SLOT]
      jrcxz cold
      jmp rcx
      cold:
      mov rcx,[INIT]
      jmp rcx
      pop rcx
      pop rax
      body:
      sub rsp,0x28
      jmp FUNCTION
      """;

  /** The slot after the last one. */
  static final String OVERFLOW_64 =
      """
      push rax
      mov rax,[LOWER_KEY]
      mov rcx,rsp
      not rcx
      lea rcx,[rcx+rax-31]
      pop rax
      jrcxz equal
      bswap rcx
      movzx ecx,cl
      jrcxz untraced
      jmp slow
      equal:
      push rax
      mov rax,[rsp+24]
      lea rcx,[LOWER_EXIT]
      not rcx
      lea rcx,[rcx+rax+1]
      pop rax
      jrcxz untraced
      slow:
      mov rcx,[P_SLOW]
      jmp rcx
      untraced:
      lea rax,[rax-2]
      jmp rax
      """;

  /** A stale slot or another stack. */
  static final String SLOW_64 =
      """
      pushfq
      push r8
      push r9
      push r10
      push r11
      push rax
      mov r8,gs:[T_SLOT]
      sub r8,STRIDE
      mov rdx,[r8+DELTA+56]
      jmp common
      pushfq
      push r8
      push r9
      push r10
      push r11
      push rax
      mov r8,gs:[T_SLOT]
      common:
      lea r11,[rsp+72]
      lea r9,[SLOT0]
      mov rcx,gs:[8]
      cmp rcx,[STACK_BASE]
      jne other_stack
      settle:
      cmp r8,r9
      je settled
      lea r10,[r8+EXIT-STRIDE]
      cmp [r11-8],r10
      jne keys
      cmp [r8+DELTA+32-STRIDE],r11
      jae settled
      mov [r8+DELTA+32-STRIDE],r11
      jmp settled
      keys:
      cmp [r8+DELTA+32-STRIDE],r11
      ja settled
      and qword [r8+DELTA+32-STRIDE],0
      sub r8,STRIDE
      jmp settle
      settled:
      mov gs:[T_SLOT],r8
      mov rcx,[CONTROL]
      lock inc qword [rcx+120]
      mov rcx,r8
      pop rax
      pop r11
      pop r10
      pop r9
      pop r8
      popfq
      jmp rcx
      other_stack:
      mov r10,[CONTROL]
      mov eax,[r10+72]
      next_area:
      test eax,eax
      jz no_area
      dec eax
      mov r8,[r10+rax*8+4096]
      test r8,r8
      jz next_area
      cmp [r8],rcx
      jne next_area
      mov rax,[r8+0x1000+DELTA+32]
      add r8,0x1000+STRIDE
      mov r9,r8
      lea r10,[r8+256*STRIDE]
      scan:
      mov rcx,[r8+DELTA+32]
      cmp rcx,rax
      jae settle
      cmp rcx,r11
      jbe settle
      mov rax,rcx
      add r8,STRIDE
      cmp r8,r10
      jb scan
      jmp settle
      no_area:
      mov rcx,[INIT]
      pop rax
      pop r11
      pop r10
      pop r9
      pop r8
      popfq
      jmp rcx
      """;

  /** The first function of a stack. */
  static final String INIT_64 =
      """
      pushfq
      push rdx
      push r8
      push r9
      lea rdx,[untraced]
      mov gs:[T_SLOT],rdx
      mov r8,[CONTROL]
      cmp dword [r8+64],0
      je leave_it
      cmp rsp,gs:[8]
      jae leave_it
      cmp rsp,gs:[10h]
      jb leave_it
      mov r9d,1
      lock xadd [r8+72],r9d
      cmp r9d,[r8+76]
      jae none
      mov r9,[r8+r9*8+4096]
      mov rdx,gs:[8]
      mov [r9],rdx
      lea rcx,[rdx+8]
      mov [r9+0x1000+DELTA+32],rcx
      neg rdx
      mov [r9+8],rdx
      mov edx,gs:[48h]
      mov [r9+16],edx
      cmp qword gs:[T_CUR],0
      jne recording
      push rax
      call [FIRST_CHUNK]
      pop rax
      recording:
      lea rcx,[r9+0x1000+STRIDE]
      mov gs:[T_SLOT],rcx
      pop r9
      pop r8
      pop rdx
      popfq
      jmp rcx
      none:
      lock inc qword [r8+104]
      mov qword gs:[T_SLOT],0
      leave_it:
      pop r9
      pop r8
      pop rdx
      popfq
      untraced:
      lea rax,[rax-2]
      jmp rax
      """;

  /** The end of a chunk of records. */
  static final String FULL_64 =
      """
      pushfq
      push r8
      push r9
      push r10
      mov r8,gs:[T_CUR]
      mov r9,[CONTROL]
      sub r8,0x10000
      mov r10,r8
      sub r10,r9
      shr r10,16
      cmp r10,[r9+1024]
      ja spill
      mov dword [r8],2
      mov eax,1
      lock xadd [r9+88],eax
      and eax,2047
      mov [r9+rax*4+45056],r10d
      mov eax,[r9+80]
      again:
      cmp eax,[r9+84]
      je spill
      mov edx,eax
      and edx,2047
      mov r10d,[r9+rdx*4+36864]
      lea edx,[rax+1]
      lock cmpxchg [r9+80],edx
      jne again
      shl r10,16
      lea r8,[r9+r10+0x10000]
      rdtsc
      shl rdx,32
      or rax,rdx
      mov [r8+16],rax
      mov eax,gs:[48h]
      mov [r8+4],eax
      mov dword [r8],1
      jmp set
      spill:
      lock add qword [r9+96],2047
      mov r8,[SPILL]
      set:
      add r8,32
      mov gs:[T_CUR],r8
      pop r10
      pop r9
      pop r8
      popfq
      ret
      """;

  /** An exception passes a slot. */
  static final String HANDLER_64 =
      """
      test dword [rcx+4],66h
      jz out
      mov r10,[r9]
      mov r11,gs:[T_CUR]
      test r11,r11
      jz out
      add r10,DELTA-EXIT
      add rdx,16
      mov [r11+24],rdx
      mov eax,[rcx]
      mov [r11+16],rax
      rdtsc
      mov [r11],eax
      mov [r11+4],edx
      mov rax,[r10+48]
      mov [r11+8],eax
      mov eax,[r10+72]
      add eax,2
      mov [r11+12],eax
      add r11,32
      mov gs:[T_CUR],r11
      test r11w,r11w
      jnz out
      sub rsp,28h
      call [P_FULL]
      add rsp,28h
      out:
      mov eax,1
      ret
      """;

  /** A stub of 32-bit code. */
  static final String STUB_32 =
      """
      push eax
      push ecx
      mov eax,body
      mov ecx,fs:[T_SLOT]
      jecxz cold
      jmp ecx
      cold:
      jmp INIT
      pop ecx
      pop eax
      body:
      mov edi,edi
      jmp FUNCTION
      """;

  /** A slot of 32-bit code. */
  static final String SLOT_32 =
      """
      C:
      mov dword fs:[T_SLOT],C+STRIDE
      mov [BODY],eax
      mov [SAVE_EDX],edx
      mov ecx,fs:[4]
      mov edx,[NEG_BASE]
      lea ecx,[ecx+edx]
      jecxz same
      jmp slow
      same:
      mov ecx,esp
      not ecx
      mov edx,[LOWER_KEY]
      lea eax,[ecx+edx-11]
      mov ecx,eax
      jecxz equal
      cdq
      mov ecx,edx
      jecxz fresh
      jmp slow
      equal:
      mov ecx,[esp+8]
      not ecx
      lea ecx,[ecx+E-STRIDE+1]
      jecxz tail
      slow:
      mov eax,[BODY]
      jmp SLOW
      tail:
      mov ecx,[LOWER_TRUE]
      mov [TRUE_EIP],ecx
      mov ecx,[esp+8]
      jmp go
      full1:
      call FULL
      jmp done1
      fresh:
      mov ecx,[esp+8]
      mov [TRUE_EIP],ecx
      go:
      mov [RET],ecx
      lea edx,[esp+12]
      mov [KEY],edx
      mov ecx,fs:[T_CUR]
      jecxz done1
      mov [ecx+24],edx
      rdtsc
      mov [ecx],eax
      mov [ecx+4],edx
      mov eax,[RET]
      mov [ecx+16],eax
      mov eax,[esp]
      mov [ecx+20],eax
      mov eax,[SAVE_EDX]
      mov [ecx+28],eax
      mov eax,[BODY]
      mov [ecx+8],eax
      mov dword [ecx+12],0x102
      lea ecx,[ecx+32]
      mov fs:[T_CUR],ecx
      movzx ecx,cx
      jecxz full1
      done1:
      mov edx,[SAVE_EDX]
      mov ecx,[esp]
      mov eax,[esp+4]
      lea esp,[esp+12]
      call [BODY]
      E:
      push dword [RET]
      push ecx
      mov ecx,fs:[T_CUR]
      jecxz done2
      mov [SAVE_EAX],eax
      mov [SAVE_EDX],edx
      mov [ecx+16],eax
      mov [ecx+20],edx
      rdtsc
      mov [ecx],eax
      mov [ecx+4],edx
      mov eax,[BODY]
      mov [ecx+8],eax
      mov eax,[KEY]
      mov [ecx+24],eax
      lea eax,[esp+8]
      mov [ecx+28],eax
      mov dword [ecx+12],0x103
      lea ecx,[ecx+32]
      mov fs:[T_CUR],ecx
      movzx ecx,cx
      jecxz full2
      after2:
      mov eax,[SAVE_EAX]
      mov edx,[SAVE_EDX]
      done2:
      mov dword fs:[T_SLOT],C
      pop ecx
      ret
      full2:
      call FULL
      jmp after2
      """;

  /** Label of the unwinder of 32-bit code. */
  static final String PROBE_32 =
      """
      push eax
      push ecx
      push edx
      mov ecx,fs:[T_CUR]
      jecxz out
      rdtsc
      mov [ecx],eax
      mov [ecx+4],edx
      mov eax,[esp+16]
      mov [ecx+24],eax
      mov edx,ecx
      mov ecx,[esp+24]
      mov eax,0xC0000027
      jecxz known
      mov eax,[ecx]
      known:
      mov [edx+16],eax
      mov dword [edx+8],UNWINDER
      mov dword [edx+12],5
      lea edx,[edx+32]
      mov fs:[T_CUR],edx
      movzx ecx,dx
      jecxz full
      out:
      pop edx
      pop ecx
      pop eax
      push ebp
      mov ebp,esp
      lea esp,[esp-0x2d4]
      jmp BEHIND
      full:
      call FULL
      jmp out
      """;
}
