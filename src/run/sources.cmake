ct_folder(run run/colliders.c run/folder.c run/frames.c run/run.c run/stats.c)
