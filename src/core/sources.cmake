ct_folder(core core/error.c core/file.c core/memory.c core/quantity.c core/stop.c core/text.c core/threads.c core/track.c)
